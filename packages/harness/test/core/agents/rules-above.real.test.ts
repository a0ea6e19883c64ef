// Wherever an agent works, the rules of the session that drafted it hold: tools, roles, limits and workspace.
import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder, writeFiles } from '../../support/workspace.ts';
import { converse, logOf } from '../../support/yard.ts';
import {
  type AgentYard,
  call,
  draft,
  openAgentYard,
  outputOf,
  outputsOf,
  type Script,
  tool,
} from './stage.ts';

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', ...args], { cwd, encoding: 'utf8' });

function commitAll(folder: string): void {
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'first', '--allow-empty');
}

const role = (name: string, denied: string) =>
  `---\nname: ${name}\ndescription: x\ncategory: conversational\ntools: { deny: [${denied}] }\n---\nHelp.\n`;

/** `Plan <role> <draft>` drafts a child that tries what it must not have, unless told otherwise, and waits for it. */
const plan: Script = (turn) => {
  const [, role = '', ...rest] = turn.text.split(' ');
  if (turn.step === 0) return [draft('try', { role, ...JSON.parse(rest.join(' ')) })];
  const { agentId } = outputOf(turn) ?? {};
  return turn.step === 1 && agentId ? [call('await_agent', { agentId })] : [{ text: 'ok' }];
};
const attempt: Script = ({ step }) =>
  step === 0
    ? [call('create_task', { slug: 'mine' }), call('get_session_count'), call('ping')]
    : [{ text: 'ok' }];
/** The child drafts another one, in its own directory. */
const further = (role: string) => ({ prompt: `Plan ${role} {}` });

const open = (options: Parameters<typeof openAgentYard>[1] = {}) =>
  openAgentYard({ Plan: plan, try: attempt }, options);

async function trustNow(yard: AgentYard, cwd: string): Promise<void> {
  const { hash } = await yard.client().trust.look({ cwd });
  await yard.client().trust.trust({ cwd, hash });
}

/** What the calls of the newest agent came to, and where it worked. */
async function newestOf(yard: AgentYard) {
  const [agent] = await yard.agents();
  const { workspace, cwd, role } = await yard.client().sessions.get(agent?.sessionId ?? '');
  const events = await logOf(yard, agent?.sessionId ?? '');
  return { workspace, cwd, role, outputs: outputsOf(events) };
}

const absent = (name: string) => expect.stringMatching(`^There is no tool ${tool(name)}`);
const counted = expect.objectContaining({ count: expect.any(Number) });
const pong = expect.objectContaining({ status: 'pong' });

it('a child in a nested repository, a worktree or a root has no tool that the rules of its parent forbid', async () => {
  const outside = makeFolder();
  const yard = await open({
    overlay: { workspace: { roots: [outside] }, defaults: { mode: 'bypassPermissions' } },
  });
  const top = makeFolder({ 'repo/a.txt': '', 'repo/lib/b.txt': '', 'repo/.gitignore': 'lib\n' });
  const repository = join(top, 'repo');
  commitAll(repository);
  commitAll(join(repository, 'lib'));
  // The person works in a worktree of their own: that of an agent lies in the repository, under nobody's rules.
  const project = join(top, 'linked');
  git(repository, 'worktree', 'add', '-q', project);
  writeFiles(project, { 'toolyard.yaml': 'toolkits: { tasks: false }\n' });
  execFileSync('cp', ['-r', join(repository, 'lib'), project]);
  // What the nested repository says narrows further. That a person trusts it widens nothing.
  writeFiles(project, { 'lib/toolyard.yaml': 'toolkits: { tasks: true, sessions: false }\n' });
  await trustNow(yard, join(project, 'lib'));
  writeFiles(outside, { 'toolyard.yaml': 'toolkits: { tasks: true }\n' });
  await trustNow(yard, outside);
  const isolation = 'worktree-keep';
  const drafts = [{ cwd: 'lib' }, { isolation }, { cwd: outside }, { isolation, ...further('assistant') }];
  const found = [];
  for (const wanted of drafts) {
    await yard.ask(`Plan assistant ${JSON.stringify(wanted)}`, { role: 'assistant', cwd: project });
    found.push(await newestOf(yard));
  }
  const inRepository = expect.stringMatching(`^${repository}/\\.worktrees/agt_`);
  expect(found.map(({ workspace, outputs }) => ({ workspace, outputs }))).toEqual([
    { workspace: join(project, 'lib'), outputs: [absent('create_task'), absent('get_session_count'), pong] },
    { workspace: inRepository, outputs: [absent('create_task'), counted, pong] },
    { workspace: outside, outputs: [absent('create_task'), counted, pong] },
    { workspace: inRepository, outputs: [absent('create_task'), counted, pong] },
  ]);
  expect((await yard.agents()).map(({ depth }) => depth)).toEqual([2, 1, 1, 1, 1]);
});

it('a role is what it is where it was drafted, also for whom a child drafts', async () => {
  const yard = await open();
  const [create, ping] = [tool('create_task'), tool('ping')];
  // One that the drafter's workspace has, and one that is only in the home.
  writeFiles(yard.home, { 'roles/helper.md': role('helper', ''), 'roles/keeper.md': role('keeper', create) });
  const project = makeFolder({
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.toolyard/roles/helper.md': role('helper', create),
    'lib/.git/HEAD': 'ref: refs/heads/main\n',
    'lib/.toolyard/roles/helper.md': role('helper', ping),
    'lib/.toolyard/roles/keeper.md': role('keeper', ping),
  });
  await trustNow(yard, project);
  await trustNow(yard, join(project, 'lib'));
  const drafts = [
    { role: 'helper', cwd: 'lib' },
    { role: 'helper', cwd: 'lib', ...further('helper') },
    { role: 'keeper', cwd: 'lib' },
  ];
  for (const wanted of drafts) {
    await yard.ask(`Plan ${wanted.role} ${JSON.stringify(wanted)}`, { role: 'assistant', cwd: project });
    expect(await newestOf(yard)).toEqual({
      workspace: join(project, 'lib'),
      cwd: join(project, 'lib'),
      role: wanted.role,
      outputs: [absent('create_task'), counted, pong],
    });
  }
});

it('no marker that appears above widens where a child works', async () => {
  const yard = await open();
  const top = makeFolder({ 'work/sub/x': '' });
  const work = join(top, 'work');
  const { id } = await yard.client().sessions.create({ role: 'assistant', cwd: work });
  mkdirSync(join(top, '.git'));
  git(top, 'init', '-q');
  await converse(yard, id, 'Plan assistant {"cwd":"sub"}');
  expect(await newestOf(yard)).toMatchObject({ workspace: join(work, 'sub'), cwd: join(work, 'sub') });
  await converse(yard, id, 'Plan assistant {}');
  expect(await newestOf(yard)).toMatchObject({ workspace: work, cwd: work });
  // Of a session that a person opens now, the repository is the workspace.
  expect(await yard.client().sessions.create({ cwd: work })).toMatchObject({ workspace: top });
});

it.runIf(process.geteuid?.() === 0)('a marker of another user counts for no ordinary user', () => {
  const top = makeFolder({ '.git/HEAD': '', 'sub/.git/HEAD': '', 'sub/mine/x': '' });
  chownSync(join(top, 'sub/.git'), 54_321, 54_321);
  const source = new URL('../../../src/core/workspace/workspaces.ts', import.meta.url).pathname;
  const script = `import { findWorkspace } from '${source}'; process.stdout.write(findWorkspace(process.argv[1]));`;
  const node = [process.execPath, '--conditions=toolyard-source', '--input-type=module', '-e', script];
  // Root's files are this user's own there.
  const user = [
    '--dev-bind',
    '/',
    '/',
    '--unshare-user',
    '--uid',
    '1000',
    '--unshare-pid',
    '--proc',
    '/proc',
  ];
  const found = execFileSync('bwrap', [...user, ...node, join(top, 'sub/mine')], { encoding: 'utf8' });
  expect(found).toBe(top);
});
