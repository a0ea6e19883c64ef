// `isolation: worktree`: an agent works on its own branch; the result names it and what was changed.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../support/yard.ts';
import { call, draft, openAgentYard, outputOf, outputsOf, type Script } from './stage.ts';

const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' });

async function openRepository(): Promise<string> {
  const folder = join(await temporaryDirectory(), 'repo');
  await mkdir(folder);
  git(folder, 'init', '-q', '-b', 'main');
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  git(folder, 'add', '.');
  git(folder, '-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-qm', 'first');
  return folder;
}

const coordinate =
  (isolation: string): Script =>
  (turn) => {
    if (turn.step === 0) return [draft('change it', { role: 'assistant', isolation, taskSlug: 'change' })];
    const { agentId } = outputOf(turn);
    return turn.step === 1 && agentId ? [call('await_agent', { agentId })] : [{ text: 'ok' }];
  };

/** A tool of the program around the yard that writes where its session works. */
async function openIsolated(workspace: string, isolation: string, home?: string) {
  const { defineTool, defineToolkit } = await import('@toolyard/sdk');
  const { z } = await import('zod');
  const write = defineTool({
    name: 'write',
    title: 'Write',
    description: 'Writes a file',
    effect: 'write',
    tier: 'auto',
    input: z.strictObject({}),
    output: z.object({ cwd: z.string() }),
    run: async (_, { cwd }) => {
      writeFileSync(join(cwd, 'b.txt'), 'two\n');
      return { cwd };
    },
  });
  const change: Script = ({ step }) =>
    step === 0 ? [{ calls: [{ tool: 'mcp__own__write', input: {} }] }] : [{ text: 'Changed.' }];
  const stay: Script = () => [{ untilAborted: true }];
  const yard = await openAgentYard(
    { Plan: coordinate(isolation), change, stay },
    {
      workspace,
      ...(home && { home }),
      toolkits: [defineToolkit({ name: 'own', server: 'own', tools: [write] })],
    },
  );
  if (!home) await yard.client().tasks.create({ slug: 'change' });
  return yard;
}

describe('isolation by a worktree', () => {
  it('puts what the agent changed on a branch of its own, and leaves the rest alone', async () => {
    const repository = await openRepository();
    const yard = await openIsolated(repository, 'worktree');
    const { events } = await yard.ask('Plan', { role: 'assistant', cwd: repository });
    const awaited = outputsOf(events).at(-1) as { worktree: { branch: string; path: string } };
    expect(awaited).toMatchObject({
      status: 'done',
      worktree: {
        branch: expect.stringMatching(/^toolyard\/change-/),
        diff: { files: 1, insertions: 1, deletions: 0 },
      },
    });
    const { branch, path } = awaited.worktree;
    expect(git(repository, 'show', `${branch}:b.txt`)).toBe('two\n');
    expect(existsSync(join(repository, 'b.txt'))).toBe(false);
    expect(existsSync(path)).toBe(false);
    expect(git(repository, 'status', '--porcelain')).toBe('');
  });

  it('can be kept', async () => {
    const repository = await openRepository();
    const yard = await openIsolated(repository, 'worktree-keep');
    const { events } = await yard.ask('Plan', { role: 'assistant', cwd: repository });
    const { worktree } = outputsOf(events).at(-1) as { worktree: { path: string; kept: boolean } };
    expect(worktree.kept).toBe(true);
    expect(existsSync(join(worktree.path, 'b.txt'))).toBe(true);
  });

  it('is refused where there is no repository, in words a model can act on', async () => {
    const folder = await temporaryDirectory();
    const yard = await openIsolated(folder, 'worktree');
    const { events } = await yard.ask('Plan', { role: 'assistant', cwd: folder });
    expect(outputsOf(events)).toEqual([expect.stringMatching(/^not_a_repository: /)]);
    expect(await yard.agents()).toEqual([]);
  });

  it('P13: killed while its worktree is made, it is killed and nothing of it is left', async () => {
    const repository = await openRepository();
    const yard = await openIsolated(repository, 'worktree');
    const { agents } = yard.client();
    const wanted = { role: 'developer', prompt: 'stay', isolation: 'worktree', cwd: repository } as const;
    const ends: unknown[] = [];
    for (const waitMs of [0, 10, 20, 30, 45, 60]) {
      const { id } = await agents.draft(wanted);
      // The moment is what this is about.
      await pause(waitMs);
      const { success } = await agents.kill(id);
      const { status, error } = await agents.get(id);
      ends.push({ success, status, code: error?.code });
    }
    expect(ends).toEqual(ends.map(() => ({ success: true, status: 'killed', code: 'killed' })));
    const left = [git(repository, 'worktree', 'list'), git(repository, 'branch', '--list', 'toolyard/*')];
    expect([left[0]?.trim().split('\n').length, left[1]]).toEqual([1, '']);
  });

  it('a server that stops while a worktree is made begins with its agent at the next start', async () => {
    const repository = await openRepository();
    const yard = await openIsolated(repository, 'worktree');
    const { home } = yard;
    const wanted = { role: 'developer', prompt: 'change', isolation: 'worktree', cwd: repository } as const;
    const { id } = await yard.client().agents.draft(wanted);
    await expect.poll(() => existsSync(join(repository, '.worktrees'))).toBe(true);
    await yard.close();
    const again = await openIsolated(repository, 'worktree', home);
    expect(await again.client().agents.await(id)).toMatchObject({ status: 'done' });
  });
});
