import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { root } from '../../../../scripts/source/repository.ts';
import { type Guide, type GuideOptions, type Ran, readGuide, runGuide } from './guide-runner.ts';

const guides = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];

// Guides wait for turns and servers part of the time; more than two at once would only be late.
vi.setConfig({ maxConcurrency: 2 });

async function run(guide: Guide, options?: GuideOptions): Promise<Ran[]> {
  const folder = await mkdtemp(join(tmpdir(), 'toolyard-guide-'));
  try {
    return await runGuide(guide, folder, options);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** What the README's commands printed: run once, looked at twice. */
let tour: Promise<Ran[]> | undefined;

async function runFile(file: string): Promise<Ran[]> {
  const guide = await readGuide(file);
  if (file !== 'README.md') return run(guide, { blocksWithNpm: 0 });
  // The server and the first command as they stand there.
  tour ??= run(guide, { blocksWithNpm: 2 });
  return tour;
}

describe('every command in a guide works as it is written', () => {
  it.concurrent.each(guides.filter((file) => file.endsWith('.md')))(
    '%s',
    { timeout: 120_000 },
    async (file) => {
      const ran = await runFile(file);
      expect(ran.filter(({ code }) => code !== 0)).toEqual([]);
    },
  );

  it.concurrent('would show a command that fails', async () => {
    const ran = await run({ blocks: [['npm start -- sesions list']], example: undefined });
    expect(ran).toMatchObject([{ code: 2, output: expect.stringContaining('Did you mean "sessions"') }]);
  });

  it.concurrent('the tour of the README says what it shows', { timeout: 120_000 }, async () => {
    const ran = await runFile('README.md');
    const all = ran.map(({ output }) => output).join('\n');
    expect(all).toMatch(/pong/);
    expect(all).toMatch(/mcp__toolyard__get_session_count/);
    expect(all).toMatch(/event: turn_end/);
    expect(all).toMatch(/verdict: ready/);
  });
});
