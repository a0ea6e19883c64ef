// `backup` and `restore` as a person types them.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newest } from '../../store/old-databases.ts';
import { openTestYard, temporaryDirectory } from '../../support/yard.ts';
import { openCommandYard, startCommand } from '../in-process.ts';

describe('backup and restore', () => {
  it('copy a home and put it back, each with a word on what to do next', async () => {
    const { yard, home, start, close } = await openCommandYard();
    onTestFinished(close);
    const work = await temporaryDirectory();
    const run = (...argv: string[]) => start(argv, { cwd: work }).finished;
    await run('run', '--mode', 'bypassPermissions', 'look here');
    const made = await run('backup', 'copy.tar.gz');
    expect(made).toMatchObject({ code: 0, stdout: `${join(work, 'copy.tar.gz')}\n` });
    expect(made.stderr).toMatch(/files?, schema \d+; read back and checked\.\n$/);
    const served = await run('restore', 'copy.tar.gz', '--force');
    expect([served.code, served.stderr]).toEqual([1, expect.stringContaining('Stop it first.')]);
    await yard.close();
    const refused = await run('restore', 'copy.tar.gz', '--json');
    expect([refused.code, JSON.parse(refused.stderr)]).toMatchObject([
      1,
      { error: { code: 'home_not_empty' } },
    ]);
    const restored = await run('restore', 'copy.tar.gz', '--force');
    expect(restored.stdout).toMatch(
      /^Restored \d+ files? into .*\nThe previous files are in .*before-restore-/,
    );
    const elsewhere = await run('restore', 'copy.tar.gz', '--home', 'other', '--json');
    expect(JSON.parse(elsewhere.stdout)).toMatchObject({
      home: join(work, 'other'),
      head: { schema: newest },
    });
    const again = await openTestYard({ home });
    expect((await again.client().sessions.list()).items).toMatchObject([{ title: 'look here' }]);
  });

  it('say what is wrong with a file, and what to do', async () => {
    const work = await temporaryDirectory();
    const env = { TOOLYARD_HOME: join(work, 'home'), INIT_CWD: work, NO_COLOR: '1' };
    const run = (...argv: string[]) => startCommand(argv, env).finished;
    await writeFile(join(work, 'text'), 'just some words');
    for (const [file, words] of [
      ['text', 'is not a Toolyard backup'],
      ['none', 'There is no file'],
    ]) {
      const { code, stderr } = await run('restore', file ?? '');
      expect([code, stderr]).toEqual([1, expect.stringContaining(words ?? '')]);
    }
    expect((await run('restore')).code).toBe(2);
  });
});
