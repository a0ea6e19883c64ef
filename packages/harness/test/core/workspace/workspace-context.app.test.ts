// CLAUDE.md and AGENTS.md reach the model of every engine, after trust and not before.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toWorkspaceContext } from '../../../src/core/workspace/workspace-context.ts';
import { memoryDirectory, openTestYard } from '../../support/yard.ts';

function filesOf(files: Record<string, string>, trusted: boolean) {
  const entries = Object.entries(files).map(
    ([path, text]) => [path, new TextEncoder().encode(text)] as const,
  );
  const none = new Map();
  const set = { files: new Map(entries), skipped: none, problems: none, owners: none, hash: 'h' };
  return { set, trusted };
}

describe('what a workspace tells its agents', () => {
  test('is not heard before somebody trusts it', () => {
    expect(toWorkspaceContext(filesOf({ 'CLAUDE.md': 'Use tabs.' }, false))).toBe('');
  });

  test('names its file, and a copy is not said twice', () => {
    const files = { 'AGENTS.md': 'Use tabs.\n', 'CLAUDE.md': 'Use tabs.' };
    expect(toWorkspaceContext(filesOf(files, true))).toBe('# AGENTS.md of this workspace\n\nUse tabs.');
  });

  test('is cut where it would crowd out everything else, and says so', () => {
    const context = toWorkspaceContext(filesOf({ 'CLAUDE.md': 'x'.repeat(50_000) }, true));
    expect(context.length).toBeLessThan(41_000);
    expect(context).toContain('[cut here: 10000 more characters in the file]');
  });

  test('stands after the role’s instructions once the workspace is trusted', async () => {
    const yard = await openTestYard();
    const client = yard.client();
    const workspace = join(await memoryDirectory(), 'project');
    await mkdir(join(workspace, '.git'), { recursive: true });
    await writeFile(join(workspace, 'CLAUDE.md'), 'Answer in rhymes.');
    const { id } = await client.sessions.create({ cwd: workspace });
    const before = await client.sessions.context(id);
    expect(before.instructions).not.toContain('rhymes');
    const { hash } = await client.trust.look({ cwd: workspace });
    await client.trust.trust({ cwd: workspace, hash });
    const after = await client.sessions.context(id);
    expect(after.instructions).toBe(
      `${before.instructions}\n\n# CLAUDE.md of this workspace\n\nAnswer in rhymes.`,
    );
  });
});
