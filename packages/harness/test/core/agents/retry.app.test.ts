// A failed agent whose turn is tried again is the same agent at work again, and its new end counts.
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLive } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { isEndOf, readUntil, temporaryDirectory } from '../../support/yard.ts';
import { type AgentYard, call, draft, openAgentYard, type Script } from './stage.ts';

/** Fails the first time that it is asked, then does what `then` does. */
function failsFirst(then: Script): Script {
  let tries = 0;
  return (turn) => {
    if (turn.step === 0) tries++;
    return tries === 1 ? fails(turn) : then(turn);
  };
}

const failure = { fail: { code: 'internal', message: 'no' } } as const;
const fails: Script = () => [failure];

const reports: Script = ({ step }) =>
  step === 0
    ? [call('report_result', { summary: 'Built it.', changes: ['a.ts'], issues: [], questions: [] })]
    : [{ text: 'ok' }];

async function retry(yard: AgentYard, sessionId: string): Promise<void> {
  const { turnId } = await yard.client().sessions.retry(sessionId);
  await readUntil(yard, sessionId, isEndOf(turnId));
}

describe('an agent that cannot be tried again', () => {
  const stay: Script = () => [{ text: 'Here.' }, { untilAborted: true }];

  it('is one more than may be at work', async () => {
    const yard = await openAgentYard({ stay }, { limits: { maxChildren: 1 } });
    const { id: sessionId } = await yard.client().sessions.create({ role: 'coordinator' });
    const wanted = { role: 'developer', prompt: 'stay', sessionId };
    const first = await yard.client().agents.draft(wanted);
    await yard.client().agents.kill(first.id);
    const second = await yard.client().agents.draft(wanted);
    await expect(yard.client().sessions.retry(first.sessionId)).rejects.toMatchObject({
      code: 'agent_limit',
      data: { limit: 'maxChildren', max: 1, used: 1 },
    });
    await yard.client().agents.kill(second.id);
    await yard.client().sessions.retry(first.sessionId);
    expect((await yard.client().agents.get(first.id)).status).toMatch(/queued|running/);
  });

  it('is one of many that are tried at the same moment', async () => {
    let tries = 0;
    const build: Script = (turn) => (++tries <= 4 ? fails(turn) : stay(turn));
    const yard = await openAgentYard({ build }, { limits: { maxChildren: 2, concurrency: 10 } });
    const { id: sessionId } = await yard.client().sessions.create({ role: 'coordinator' });
    const agents = [];
    for (let count = 0; count < 4; count++) {
      const agent = await yard.client().agents.draft({ role: 'developer', prompt: 'build', sessionId });
      await yard.client().agents.await(agent.id);
      agents.push(agent);
    }
    const retried = await Promise.allSettled(
      agents.map((agent) => yard.client().sessions.retry(agent.sessionId)),
    );
    expect(retried.map(({ status }) => status).sort()).toEqual([
      ...['fulfilled', 'fulfilled', 'rejected', 'rejected'],
    ]);
    expect(retried.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'agent_limit', data: { limit: 'maxChildren', max: 2, used: 2 } },
    });
    expect((await yard.agents()).filter(isLive)).toHaveLength(2);
  });

  it('works on a task that is closed', async () => {
    const yard = await openAgentYard({ build: failsFirst(reports) });
    const agent = await yard.client().agents.draft({ role: 'developer', prompt: 'build' });
    await yard.client().agents.await(agent.id);
    await yard.client().tasks.close(agent.taskSlug, {});
    await expect(yard.client().sessions.retry(agent.sessionId)).rejects.toMatchObject({
      code: 'task_closed',
    });
    expect(await yard.client().agents.get(agent.id)).toMatchObject({ status: 'failed' });
  });

  it('was drafted by one that was killed', async () => {
    const lead: Script = ({ step }) => (step === 0 ? [draft('stay')] : [{ untilAborted: true }]);
    const yard = await openAgentYard({ lead, stay });
    const agent = await yard.client().agents.draft({ role: 'coordinator', prompt: 'lead' });
    await readUntil(
      yard,
      agent.sessionId,
      ({ type, data }) => type === 'agent_update' && data.agent.status === 'running',
    );
    await yard.client().agents.kill(agent.id);
    const child = (await yard.agents()).find(({ prompt }) => prompt === 'stay');
    await expect(yard.client().sessions.retry(child?.sessionId ?? '')).rejects.toMatchObject({
      code: 'agent_ended',
      message: expect.stringContaining(agent.id),
    });
  });
});

describe('an agent whose turn is tried again', () => {
  it('is queued again, reports, and is awaited with its new result', async () => {
    const yard = await openAgentYard({
      Plan: ({ step }) => (step === 0 ? [draft('build')] : [{ text: 'ok' }]),
      build: failsFirst(reports),
    });
    const { sessionId: rootId } = await yard.ask('Plan');
    const { id = '', sessionId = '' } = (await yard.agents())[0] ?? {};
    const before = await yard.client().agents.await(id);
    expect(before).toMatchObject({ status: 'failed', error: { code: 'internal' } });
    await retry(yard, sessionId);
    const after = await yard.client().agents.await(id);
    expect(after).toMatchObject({ status: 'done', result: { summary: 'Built it.', reported: true } });
    expect(after).not.toHaveProperty('error');
    expect(await yard.agents()).toHaveLength(1);
    const last = (await yard.client().sessions.get(rootId)).lastSeq;
    const events = await readUntil(yard, rootId, ({ seq }) => seq === last);
    const told = events.flatMap(({ type, data }) => (type === 'agent_update' ? [data.agent.status] : []));
    expect(told).toEqual(['queued', 'running', 'failed', 'queued', 'running', 'done']);
  });

  it('keeps what it said before, until it says something else', async () => {
    const said: Script[] = [
      () => [{ text: 'a.ts is changed, b.ts is left.' }, failure],
      fails,
      fails,
      () => [{ text: 'Both are changed.' }],
    ];
    const yard = await openAgentYard({ build: (turn) => said.shift()?.(turn) ?? [] });
    const agent = await yard.client().agents.draft({ role: 'developer', prompt: 'build' });
    const ends: unknown[] = [];
    for (let tries = 0; tries < 4; tries++) {
      if (tries > 0) await retry(yard, agent.sessionId);
      const { status, result } = await yard.client().agents.await(agent.id);
      ends.push([status, result?.summary, result?.reported]);
    }
    expect(ends).toEqual([
      ['failed', 'a.ts is changed, b.ts is left.', false],
      ['failed', 'a.ts is changed, b.ts is left.', false],
      ['failed', 'a.ts is changed, b.ts is left.', false],
      ['done', 'Both are changed.', false],
    ]);
  });

  it('is at work, and can be killed, while it tries', async () => {
    const yard = await openAgentYard({
      build: failsFirst(() => [{ text: 'Here.' }, { untilAborted: true }]),
    });
    const agent = await yard.client().agents.draft({ role: 'developer', prompt: 'build' });
    await yard.client().agents.await(agent.id);
    await yard.client().sessions.retry(agent.sessionId);
    await readUntil(yard, agent.sessionId, ({ type }) => type === 'text_delta');
    expect(await yard.client().agents.get(agent.id)).toMatchObject({ status: 'running' });
    expect(await yard.client().agents.kill(agent.id)).toMatchObject({ success: true });
    expect(await yard.client().agents.await(agent.id)).toMatchObject({ status: 'killed' });
  });

  it('is at work again after a restart that came between', async () => {
    const build = failsFirst(() => [{ text: 'Here.' }, { untilAborted: true }]);
    const first = await openAgentYard({ build });
    const agent = await first.client().agents.draft({ role: 'developer', prompt: 'build' });
    await first.client().agents.await(agent.id);
    await first.client().sessions.retry(agent.sessionId);
    await readUntil(first, agent.sessionId, ({ type }) => type === 'text_delta');
    await first.close();
    const second = await openAgentYard({ build: reports }, { home: first.home });
    expect(await second.client().agents.await(agent.id)).toMatchObject({
      status: 'failed',
      error: { code: 'restarted' },
    });
    await retry(second, agent.sessionId);
    expect(await second.client().agents.await(agent.id)).toMatchObject({
      status: 'done',
      result: { summary: 'Built it.' },
    });
  });

  it('has its worktree again, with what it had done there', async () => {
    const workspace = await temporaryDirectory();
    const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace, encoding: 'utf8' });
    git('init', '-q', '-b', 'main');
    git('-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-q', '--allow-empty', '-m', 'first');
    const trees: string[] = [];
    const build = failsFirst(() => [{ text: 'ok' }]);
    const yard = await openAgentYard(
      {
        build(turn) {
          // Whatever is in the worktree now is what this attempt leaves there.
          const [tree = ''] = readdirSync(join(workspace, '.worktrees'));
          writeFileSync(join(workspace, '.worktrees', tree, `try-${trees.push(tree)}.txt`), 'x\n');
          return build(turn);
        },
      },
      { workspace },
    );
    const wanted = { role: 'developer', prompt: 'build', isolation: 'worktree', cwd: workspace } as const;
    const agent = await yard.client().agents.draft(wanted);
    expect(await yard.client().agents.await(agent.id)).toMatchObject({ worktree: { diff: { files: 1 } } });
    await retry(yard, agent.sessionId);
    const { status, worktree } = await yard.client().agents.await(agent.id);
    expect([status, worktree?.diff?.files]).toEqual(['done', 2]);
    expect(git('ls-tree', '--name-only', worktree?.branch ?? '').trim()).toBe('try-1.txt\ntry-2.txt');
  });
});
