// What an agent's turn needs and is not there any more: the role of its root, its own directory. The turn ends and says so.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { converse, temporaryDirectory } from '../../support/yard.ts';
import { openAgentYard, type Script } from './stage.ts';

const done: Script = () => [{ text: 'Done.' }];
const tight =
  '---\nname: tight\ndescription: Is tight\ncategory: coding\nlimits: { wallMinutes: 1 }\n---\nBe.\n';

async function openTight() {
  const home = await temporaryDirectory();
  await mkdir(join(home, 'roles'));
  await writeFile(join(home, 'roles', 'tight.md'), tight);
  const hog: Script = () => [{ text: 'Here.' }, { untilAborted: true }];
  const yard = await openAgentYard({ hog, done }, { home, limits: { concurrency: 1 } });
  const root = await yard.client().sessions.create({ role: 'tight' });
  return { yard, file: join(home, 'roles', 'tight.md'), root: root.id };
}

/** Drafted under the session, and queued behind another until `meanwhile` is over. */
async function draftBehind(
  { yard, root }: Awaited<ReturnType<typeof openTight>>,
  meanwhile: () => Promise<unknown>,
) {
  const { agents } = yard.client();
  const hog = await agents.draft({ role: 'developer', prompt: 'hog' });
  const agent = await agents.draft({ role: 'developer', prompt: 'done', sessionId: root });
  await meanwhile();
  await agents.kill(hog.id);
  return { agent, ended: await agents.await(agent.id) };
}

describe('an agent whose root has a role that is gone', () => {
  it('does not go on by wider limits: it fails, and the role is named', async () => {
    const opened = await openTight();
    const { agent, ended } = await draftBehind(opened, () => rm(opened.file));
    const said = { code: 'unknown_role', message: expect.stringContaining('There is no role "tight".') };
    expect(ended).toMatchObject({ status: 'failed', error: said });
    await expect(opened.yard.client().runs.get(agent.runId)).rejects.toMatchObject({ code: 'unknown_role' });
  });

  it('goes on by its limits while the role is there', async () => {
    const opened = await openTight();
    const { agent, ended } = await draftBehind(opened, async () => {});
    expect(ended.status).toBe('done');
    expect((await opened.yard.client().runs.get(agent.runId)).limits.wallMinutes).toBe(1);
  });
});

describe('an agent whose directory is gone', () => {
  it('fails before its model is asked, when it went before the agent began', async () => {
    const opened = await openTight();
    const cwd = join(await temporaryDirectory(), 'inside');
    await mkdir(cwd);
    const { agents } = opened.yard.client();
    const hog = await agents.draft({ role: 'developer', prompt: 'hog' });
    const agent = await agents.draft({ role: 'developer', prompt: 'done', cwd });
    await rm(cwd, { recursive: true });
    await agents.kill(hog.id);
    const message = `The directory of this agent no longer exists: ${cwd}. Draft another agent to continue.`;
    expect(await agents.await(agent.id)).toMatchObject({
      status: 'failed',
      costUsd: 0,
      error: { code: 'invalid_request', message },
    });
    expect(existsSync(cwd)).toBe(false);
  });

  it('says so to who writes to it after its worktree was removed with its end', async () => {
    const workspace = await temporaryDirectory();
    const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace });
    git('init', '-q', '-b', 'main');
    git('-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-q', '--allow-empty', '-m', 'first');
    const yard = await openAgentYard({ done, and: done }, { workspace });
    const wanted = { role: 'developer', prompt: 'done', isolation: 'worktree', cwd: workspace } as const;
    const agent = await yard.client().agents.draft(wanted);
    const ended = await yard.client().agents.await(agent.id);
    expect(ended.status).toBe('done');
    const events = await converse(yard, agent.sessionId, 'and now?');
    expect(events.at(-1)).toMatchObject({
      data: { outcome: 'failed', error: { message: expect.stringContaining('no longer exists') } },
    });
    expect(await yard.client().agents.await(agent.id)).toEqual(ended);
  });
});
