// Kill -9 while agents work in worktrees, before and after their turns are tried again: nothing that they left is lost, and
// nobody's directory goes while they work in it.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from '@toolyard/sdk';
import { expect, test } from 'vitest';
import { until } from '../sandbox/support.ts';
import { agentsOf, openTree, slow, untilAgents } from './agent-home.ts';
import type { Ready } from './server-process.ts';

async function openRepository() {
  const home = await openTree([slow], { concurrency: 4 });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: home.work, encoding: 'utf8' }).trim();
  git('init', '-q', '-b', 'main');
  git('-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-q', '--allow-empty', '-m', 'first');
  return { ...home, git };
}

async function draftTrees({ client }: Ready, count: number): Promise<Agent[]> {
  const wanted = { role: 'developer', isolation: 'worktree' } as const;
  return Promise.all(
    Array.from({ length: count }, (_, at) => client.agents.draft({ ...wanted, prompt: `work ${at}` })),
  );
}

/** Their turns have begun, so their worktrees are whole. */
async function untilAtWork({ client }: Ready, agents: readonly Agent[]): Promise<void> {
  const isAtWork = async ({ sessionId }: Agent) => {
    const { lastSeq } = await client.sessions.get(sessionId);
    let edge = '';
    for await (const { type, seq } of client.sessions.events(sessionId)) {
      if (type === 'turn_start' || type === 'turn_end') edge = type;
      if (seq >= lastSeq) break;
    }
    return edge === 'turn_start';
  };
  await until(async () => (await Promise.all(agents.map(isAtWork))).every(Boolean), 20_000);
}

const pathOf = ({ worktree }: Agent, name: string) => join(worktree?.path ?? '', name);

test('P12: what an agent does after a retry is on its branch, when the server is killed then', async () => {
  const home = await openRepository();
  const first = home.start();
  const before = await first.ready;
  const [agent] = await draftTrees(before, 1);
  if (!agent) throw new Error('nobody was drafted');
  await untilAtWork(before, [agent]);
  await before.client.agents.kill(agent.id);
  expect(await before.client.agents.get(agent.id)).toMatchObject({ worktree: { removed: true } });
  await before.client.sessions.retry(agent.sessionId);
  await untilAtWork(before, [agent]);
  writeFileSync(pathOf(agent, 'work.txt'), 'precious\n');
  await first.kill('SIGKILL');

  const again = await home.start().ready;
  await untilAgents(again, ([each]) => each?.worktree?.diff !== undefined);
  const [after] = await agentsOf(again);
  expect(after).toMatchObject({ status: 'failed', worktree: { diff: { files: 1, insertions: 1 } } });
  expect(after?.worktree).not.toHaveProperty('removed');
  expect(home.git('show', `${after?.worktree?.branch}:work.txt`)).toBe('precious');
});

test('P12: agents that are tried again right after a start keep what they work on', async () => {
  const home = await openRepository();
  const first = home.start();
  const before = await first.ready;
  const agents = await draftTrees(before, 3);
  await untilAtWork(before, agents);
  for (const agent of agents) writeFileSync(pathOf(agent, 'work.txt'), 'precious\n');
  await first.kill('SIGKILL');

  const again = await home.start().ready;
  await Promise.all(agents.map(({ sessionId }) => again.client.sessions.retry(sessionId)));
  await untilAtWork(again, agents);
  const last = await again.client.agents.draft({
    role: 'developer',
    prompt: 'one more',
    isolation: 'worktree',
  });
  await untilAtWork(again, [last]);
  expect(agents.map((agent) => existsSync(pathOf(agent, 'work.txt')))).toEqual([true, true, true]);
  const stored = await Promise.all(agents.map(({ id }) => again.client.agents.get(id)));
  expect(stored.map(({ worktree }) => worktree?.diff)).toEqual([undefined, undefined, undefined]);
});
