// Files that nobody may touch, and files that a person should know of, through every tool of the real CLI and in every
// mode: the verdict, and what is on the disk afterwards.
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PermissionMode } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { writeFiles } from '../support/workspace.ts';
import { type Call, converse, newSession, openClaudeYard, type Places, type Seen } from './claude-yard.ts';

const modes = PermissionMode.options;
const canary = 'CANARY-OF-THE-HOME';
const secret = 'CANARY-OF-A-SECRET';

const read = (file_path: string): Call => ({ tool: 'Read', input: { file_path } });
const write = (file_path: string): Call => ({ tool: 'Write', input: { file_path, content: 'evil' } });
const edit = (file_path: string): Call => ({
  tool: 'Edit',
  input: { file_path, old_string: 'good', new_string: 'evil' },
});
const grep = (path: string, pattern = 'CANARY'): Call => ({
  tool: 'Grep',
  input: { pattern, path, output_mode: 'content' },
});
const glob = (path: string, pattern = '*'): Call => ({ tool: 'Glob', input: { path, pattern } });
const bookOf = (notebook_path: string): Call => ({
  tool: 'NotebookEdit',
  input: { notebook_path, new_source: 'evil', edit_mode: 'insert', cell_type: 'code' },
});
const notebook = JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 });

/** Each with the rule that refuses it. Some the CLI itself refuses first: it has rules of its own, and ours. */
function forbidden({ home, user, work }: Places): [Call, string][] {
  const own = "Toolyard's own home is protected";
  const file = (name: string) => join(work, name);
  return [
    [read(join(home, 'token')), own],
    [read(`${work}/../home/token`), own],
    [read(file('to-home/token')), own],
    [grep(home), own],
    [glob(home), own],
    [glob(work, '../home/*'), own],
    [write(join(home, 'new')), own],
    [write(file('to-home/new')), own],
    [edit(join(home, 'config.yaml')), own],
    [bookOf(file('to-home/new.ipynb')), own],
    ...['.mcp.json', '.MCP.json', 'sub/.mcp.json', 'to-mcp.json'].map((name): [Call, string] => [
      write(file(name)),
      '.mcp.json is protected',
    ]),
    ...['.claude/settings.json', '.CLAUDE/Settings.local.json', 'sub/.claude/x'].map(
      (name): [Call, string] => [write(file(name)), '.claude is protected'],
    ),
    [bookOf(file('.claude/book.ipynb')), '.claude is protected'],
    ...['.git/hooks/x', '.Git/hooks/pre-commit', 'to-git/hooks/x'].map((name): [Call, string] => [
      write(file(name)),
      '.git is protected',
    ]),
    [edit(file('.git/config')), '.git is protected'],
    ...['toolyard.yaml', 'Toolyard.YAML', 'sub/../toolyard.yaml'].map((name): [Call, string] => [
      write(file(name)),
      'toolyard.yaml is protected',
    ]),
    [write(join(user, '.bashrc')), '~/.bashrc is protected'],
    [write(join(user, '.claude/settings.json')), '.claude is protected'],
    [write(join(user, '.claude.json')), '.claude.json is protected'],
    [write(join(user, '.claude.json.backup')), '~/.claude.json.backup is protected'],
    [write('/etc/claude-code/managed-settings.json'), '/etc/claude-code is protected'],
    [write(join(home, 'claude/.claude.json')), own],
    [read('/proc/self/environ'), 'a device, pipe or process file'],
    [read('/dev/zero'), 'a device, pipe or process file'],
  ];
}

/** Every file that the calls above would have made or changed. */
function damage({ home, user, work }: Places): string[] {
  const made = [
    ...['.mcp.json', '.MCP.json', 'sub/.mcp.json', '.claude/settings.json', '.CLAUDE', 'sub/.claude'],
    ...['.git/hooks/x'],
    ...['.Git', 'toolyard.yaml', 'Toolyard.YAML'],
  ].map((name) => join(work, name));
  const elsewhere = ['new', 'new.ipynb'].map((name) => join(home, name));
  const personal = ['.bashrc', '.claude/settings.json', '.claude.json', '.claude.json.backup'].map((name) =>
    join(user, name),
  );
  const kept = { '.git/config': 'good', '.claude/book.ipynb': notebook };
  const changed = Object.entries(kept).filter(
    ([name, text]) => readFileSync(join(work, name), 'utf8') !== text,
  );
  return [
    ...[...made, ...elsewhere, ...personal, '/etc/claude-code'].filter((path) => existsSync(path)),
    ...changed.map(([name]) => name),
  ];
}

/** Each with the rule by which it is asked. */
function sensitive({ work }: Places): [Call, string][] {
  const outside = join(work, '..', 'outside.txt');
  return [
    [read(join(work, '.env')), '.env is likely to hold secrets'],
    [read(join(work, 'to-env')), '.env is likely to hold secrets'],
    [grep(join(work, '.env')), '.env is likely to hold secrets'],
    [read(outside), 'reads outside the workspace'],
    [grep(join(work, '..', 'outside'), 'needle'), 'reads outside the workspace'],
  ];
}

const yard = await openClaudeYard({
  script: (places) => ({
    'touch what is protected': [
      [read(join(places.work, '.claude', 'book.ipynb')), read(join(places.work, '.git', 'config'))],
      forbidden(places).map(([call]) => call),
    ],
    'touch what is sensitive': [sensitive(places).map(([call]) => call)],
    'search everything': [[grep(places.work), glob(places.work, '**/*')]],
    'by a command': [
      [
        {
          tool: 'Bash',
          input: {
            command: [
              // By no name that the CLI itself would refuse.
              `cat ${places.work}/../h?me/token to-h?me/token ${places.work}/../us?r/.ssh/id; ls -A ${places.work}/../h?me`,
              'echo evil > .git/hooks/pre-commit; echo evil >> .git/config; echo evil > .mcp.json; mv .git away',
              `echo evil > ${places.user}/.bashrc; cat /proc/[0-9]*/environ; (echo > /dev/tcp/127.0.0.1/22) && echo reached`,
            ].join('\n'),
            description: 'x',
          },
        },
      ],
    ],
    'write what runs soon': [[write(join(places.work, '.vscode', 'tasks.json'))]],
  }),
});
writeFiles(yard.home, { 'config.yaml': '# good', canary });
writeFiles(yard.user, { '.ssh/id': 'ssh-key' });
writeFiles(yard.work, { '.git/config': 'good', '.claude/book.ipynb': notebook });
writeFiles(yard.work, { '.env': `KEY=${secret}`, 'plain.txt': 'CANARY plain' });
writeFiles(join(yard.work, '..'), { 'outside.txt': 'outside', 'outside/x.txt': 'needle' });
mkdirSync(join(yard.work, 'sub'));
symlinkSync(yard.home, join(yard.work, 'to-home'));
symlinkSync('.git', join(yard.work, 'to-git'));
symlinkSync('.mcp.json', join(yard.work, 'to-mcp.json'));
symlinkSync('.env', join(yard.work, 'to-env'));
const session = await newSession(yard);

const nameOf = ({ tool, input }: Call) => `${tool} ${Object.values(input).join(' ')}`;

function toVerdict({ approval, audit }: Seen): string {
  const decisions = audit.filter(({ kind }) => kind === 'decision');
  const words = decisions.map(({ decision, rule }) => `${decision}: ${rule}`);
  return [...(approval ? ['asked'] : []), ...words].join(', ');
}

async function judge(message: string, mode: PermissionMode) {
  await yard.client.sessions.change(session.id, { mode });
  return converse(yard, session.id, message, { approve: () => ({ decision: 'deny' }) });
}

describe.each(modes)('in mode %s', (mode) => {
  test('F6, F7, F10: no tool touches what is protected, by whatever name, and nobody is asked', async () => {
    const cases = forbidden(yard);
    const { calls, events } = await judge('touch what is protected', mode);
    const made = calls.slice(-cases.length).map(toVerdict);
    const wrong = cases.flatMap(([call, rule], at) =>
      [`deny: ${rule}`, 'deny: refused by the engine'].includes(made[at] ?? '')
        ? []
        : [nameOf(call), made[at]],
    );
    const byUs = made.filter((verdict) => verdict !== 'deny: refused by the engine');
    expect([wrong, byUs.length > cases.length / 2]).toEqual([[], true]);
    expect(damage(yard)).toEqual([]);
    expect(JSON.stringify(events)).not.toContain(yard.yard.token);
  });

  test('a person is asked about likely secrets and about reading outside the workspace, except in bypass', async () => {
    const { calls, events } = await judge('touch what is sensitive', mode);
    const runs = mode === 'bypassPermissions';
    const expected = sensitive(yard).map(([call, rule]) => [
      nameOf(call),
      runs ? 'allow: mode bypassPermissions runs: read' : `asked, deny: ${rule}`,
    ]);
    const seen = sensitive(yard).map(([call], at) => [nameOf(call), calls[at] && toVerdict(calls[at])]);
    expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(expected));
    expect(JSON.stringify(events).includes(secret)).toBe(runs);
  });

  test('F10: a search of everything passes secrets and the home by', async () => {
    const { calls } = await judge('search everything', mode);
    const [found = '', listed = ''] = calls.map(({ text }) => text);
    expect([found.includes('CANARY plain'), found.includes(secret), found.includes(canary)]).toEqual([
      ...[true, false, false],
    ]);
    expect(listed).not.toContain('home/');
  });
});

test('F10, S4: a command in bypass finds no home, key or network, and changes nothing that is protected', async () => {
  const { calls } = await judge('by a command', 'bypassPermissions');
  const [{ text, audit } = { text: '', audit: [] }] = calls;
  expect(audit.map(({ kind }) => kind)).toEqual(['decision', 'result']);
  expect(
    [yard.yard.token, 'config.yaml', 'ssh-key', 'ANTHROPIC', 'reached'].filter((each) => text.includes(each)),
  ).toEqual([]);
  expect(text.match(/Read-only file system|Is a directory/g)?.length).toBeGreaterThanOrEqual(2);
  expect(damage(yard)).toEqual([]);
});

test.each(['default', 'acceptEdits'] as const)(
  'what other programs will run is asked about in %s',
  async (mode) => {
    const { calls } = await judge('write what runs soon', mode);
    expect(calls.map(toVerdict)).toEqual(['asked, deny: .vscode may be run by other programs']);
    expect(existsSync(join(yard.work, '.vscode'))).toBe(false);
  },
);
