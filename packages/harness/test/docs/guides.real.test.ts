import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../../scripts/source/repository.ts';
import { temporaryDirectory } from '../support/yard.ts';
import { type Ran, readGuide, runGuide } from './guide-runner.ts';

const guides = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];

/** What the README's commands printed, each through npm as it stands there: run once, looked at twice. */
let tour: Promise<Ran[]> | undefined;

async function run(file: string): Promise<Ran[]> {
  if (file !== 'README.md') {
    return runGuide(await readGuide(file), await temporaryDirectory(), { withoutNpm: true });
  }
  tour ??= runGuide(await readGuide(file), await temporaryDirectory());
  return tour;
}

describe('every command in a guide works as it is written', () => {
  it.each(guides.filter((file) => file.endsWith('.md')))('%s', { timeout: 120_000 }, async (file) => {
    const ran = await run(file);
    expect(ran.filter(({ code }) => code !== 0)).toEqual([]);
  });

  it('would show a command that fails', async () => {
    const ran = await runGuide(
      { blocks: [['npm start -- sesions list']], example: undefined },
      await temporaryDirectory(),
    );
    expect(ran).toMatchObject([{ code: 2, output: expect.stringContaining('Did you mean "sessions"') }]);
  });

  it('the tour of the README says what it shows', { timeout: 120_000 }, async () => {
    const ran = await run('README.md');
    const all = ran.map(({ output }) => output).join('\n');
    expect(all).toMatch(/pong/);
    expect(all).toMatch(/mcp__toolyard__get_session_count/);
    expect(all).toMatch(/event: turn_end/);
    expect(all).toMatch(/verdict: ready/);
  });
});
