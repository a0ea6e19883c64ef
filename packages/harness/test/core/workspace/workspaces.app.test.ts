// Where an agent may work: by the rules themselves, and through the doors that name a directory.
import { renameSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Config, type Event } from '@toolyard/sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { YardOptions } from '../../../src/app.ts';
import {
  findWorkspace,
  requireWorkDirectory,
  whyNoCommands,
} from '../../../src/core/workspace/workspaces.ts';
import { answers, createWritingEngine, says, writeTranscript } from '../../support/transcripts.ts';
import { makeFolder } from '../../support/workspace.ts';
import { converse, firstListed, openTestYard } from '../../support/yard.ts';

const limited = Config.parse({}).workspace;

/** How a person's machine is laid out. */
function makeMachine() {
  const userHome = makeFolder({
    '.toolyard/roles/a.md': '',
    '.ssh/id': '',
    '.aws/sso/cache': '',
    'work/sub/a': '',
  });
  const at = (path: string) => join(userHome, path);
  /** The directory, or the words after it that refuse it. */
  const judge = (cwd: string, workspace = limited): string => {
    try {
      return requireWorkDirectory(cwd, { home: at('.toolyard'), userHome, workspace });
    } catch (thrown) {
      const { message } = thrown instanceof Error ? thrown : new Error('nothing');
      return message.slice(`cwd: ${JSON.stringify(cwd)} `.length);
    }
  };
  return { userHome, at, judge };
}

const refusal = (problem: string, directory: string) =>
  `${problem}. Use another directory, or allow this one: add ${JSON.stringify(directory)} to \`workspace.roots\` in config.yaml and restart.`;
const ofSystem = (directory: string) => refusal('belongs to the system', directory);

test('F9: a session works neither in the system nor behind a link to it, unless the person allows the directory', () => {
  const { at, judge } = makeMachine();
  symlinkSync('/etc', at('work/link'));
  for (const cwd of ['/', '/etc', '/usr/bin']) expect(judge(cwd)).toBe(ofSystem(cwd));
  expect(judge(at('work/link'))).toBe(ofSystem('/etc'));
  expect(judge('/etc/.//../usr')).toBe(ofSystem('/usr'));
  expect(judge(at('work/sub'))).toBe(at('work/sub'));
  expect(judge('/usr/src')).toBe('/usr/src');
  expect(judge('/etc', { ...limited, roots: ['/etc'] })).toBe('/etc');
  expect(judge('/usr/bin', { ...limited, roots: ['/etc'] })).toBe(ofSystem('/usr/bin'));
  expect(judge('/etc', { ...limited, roots: [relative(process.cwd(), '/etc')] })).toBe(ofSystem('/etc'));
  expect(judge('/', { ...limited, security: 'full-control' })).toBe('/');
});

test('F9: nor among the keys of its person, and in their home directory without commands, unless they allow that', () => {
  const { userHome, at, judge } = makeMachine();
  expect(judge(userHome)).toBe(userHome);
  const why = (workspace: string, roots: string[] = []) =>
    whyNoCommands(workspace, { home: at('.toolyard'), userHome, workspace: { ...limited, roots } });
  expect(why(userHome)).toContain(
    `${userHome} is your home directory. Work in a folder of its own, or allow`,
  );
  expect(why(join(userHome, '..'))).toContain('contains your home directory');
  expect([why(at('work')), why(userHome, [userHome]), why('/opt')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  for (const [name, path] of [
    ['.ssh', '.ssh'],
    ['.aws', '.aws/sso'],
  ] as const)
    expect(judge(at(path))).toBe(
      refusal(`is in ~/${name}, with keys or settings of your programs`, at(path)),
    );
  symlinkSync(at('.ssh'), at('work/me'));
  expect(judge(at('work/me'))).toContain('is in ~/.ssh');
  expect(judge(at('work/me'), { ...limited, roots: [at('.ssh')] })).toBe(at('.ssh'));
});

test('F9: nobody works in the home of Toolyard, not by a link and not with full control', () => {
  const { at, judge } = makeMachine();
  symlinkSync(at('.toolyard/roles'), at('work/link'));
  const inHome = 'is in the home of Toolyard. Use another directory.';
  for (const cwd of [at('.toolyard'), at('.toolyard/roles'), at('work/link')]) {
    expect(judge(cwd)).toBe(inHome);
    expect(judge(cwd, { ...limited, security: 'full-control', roots: [at('.toolyard')] })).toBe(inHome);
  }
});

test('a repository in the home directory of a person does not make all of it a workspace', () => {
  const userHome = makeFolder({ '.git/HEAD': '', 'plain/sub/a': '', 'own/.git/HEAD': '', 'own/sub/a': '' });
  const workspaceOf = (path: string) => findWorkspace(join(userHome, path));
  vi.stubEnv('HOME', userHome);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(workspaceOf('plain/sub')).toBe(join(userHome, 'plain/sub'));
  expect(workspaceOf('own/sub')).toBe(join(userHome, 'own'));
});

const endOf = (events: readonly Event[]) => events.findLast(({ type }) => type === 'turn_end')?.data;

async function open(options: Partial<YardOptions> = {}) {
  const userHome = makeFolder();
  const engine = createWritingEngine(userHome).engine;
  const warned: unknown[] = [];
  const logger = { debug() {}, info() {}, error() {}, warn: (message: string) => void warned.push(message) };
  const yard = await openTestYard({ engine, env: { HOME: userHome }, logger, ...options });
  return { yard, client: yard.client(), userHome, warned };
}

test('F9: every door that names a directory refuses one of the system', async () => {
  const { yard, client, userHome, warned } = await open();
  const refused = { code: 'invalid_request', message: `cwd: "/etc" ${ofSystem('/etc')}` };
  const cwd = '/etc';
  await expect(client.sessions.create({ cwd })).rejects.toMatchObject(refused);
  await expect(client.tools.call('mcp__toolyard__ping', { cwd })).rejects.toMatchObject(refused);
  await expect(client.agents.draft({ role: 'developer', prompt: 'x', cwd })).rejects.toMatchObject(refused);
  // A conversation of the terminal is read wherever it was.
  writeTranscript(userHome, [says('Hello.', { cwd }), answers('Hi.', { cwd })], { cwd });
  const outside = await firstListed(yard);
  expect(outside.cwd).toBe('/etc');
  expect(endOf(await converse(yard, outside.id, 'And now?'))).toMatchObject({
    outcome: 'failed',
    error: refused,
  });
  expect(warned).toEqual([]);
});

test('a server whose own directory is refused warns at its start, and works in others', async () => {
  const { client, warned } = await open({ workspace: '/' });
  expect(warned).toEqual(['sessions must name a directory, because the default one is refused']);
  await expect(client.sessions.create()).rejects.toMatchObject({ code: 'invalid_request' });
  const cwd = makeFolder();
  expect(await client.sessions.create({ cwd })).toMatchObject({ cwd });
});

test('F9: a session in a link works where that leads, and stays there when the link does not', async () => {
  const { yard, client } = await open();
  const [first, second] = [makeFolder(), makeFolder()];
  const link = join(yard.work, 'link');
  symlinkSync(first, link);
  const { id, cwd, workspace } = await client.sessions.create({ cwd: link });
  expect([cwd, workspace]).toEqual([first, first]);
  // What an agent can do to a directory that it works in.
  renameSync(first, `${first}-moved`);
  symlinkSync(second, first);
  const problem = `leads to ${JSON.stringify(second)} now, outside the workspace ${JSON.stringify(first)}`;
  const wayOn = refusal(`${problem}. Remove the link`, second).replace('. Use another directory', '');
  const message = `cwd: ${JSON.stringify(first)} ${wayOn}`;
  expect(endOf(await converse(yard, id, 'Go on'))).toMatchObject({ outcome: 'failed', error: { message } });
  await expect(client.tools.call('mcp__toolyard__ping', { sessionId: id })).rejects.toMatchObject({
    message,
  });
});
