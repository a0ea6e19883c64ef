// `backup` and `restore` as a person types them, and a server that takes its time to start because it upgrades.
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newest, putOldDatabase } from '../store/old-databases.ts';
import { createHome, type TestHome } from './toolyard-process.ts';

/** Many processes, one after another. */
const patient = { timeout: 120_000 };

let yard: TestHome;
beforeEach(async () => {
  yard = await createHome();
});
afterEach(() => yard.end());

async function stop(): Promise<void> {
  const server = await yard.server();
  if (server) process.kill(server.pid, 'SIGTERM');
  while (await yard.server()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('backup and restore', () => {
  it('copy a home and put it back, each with a word on what to do next', patient, async () => {
    await yard.run(['run', '--mode', 'bypassPermissions', 'ping the server']);
    const made = await yard.run(['backup', 'copy.tar.gz']);
    expect(made).toMatchObject({ code: 0, stdout: `${join(yard.work, 'copy.tar.gz')}\n` });
    expect(made.stderr).toMatch(/files?, schema \d+; read back and found whole\.\n$/);
    const served = await yard.run(['restore', 'copy.tar.gz', '--force']);
    expect([served.code, served.stderr]).toEqual([1, expect.stringContaining('Stop it first.')]);
    await stop();
    const refused = await yard.run(['restore', 'copy.tar.gz', '--json']);
    expect([refused.code, JSON.parse(refused.stderr)]).toMatchObject([
      1,
      { error: { code: 'home_not_empty' } },
    ]);
    const restored = await yard.run(['restore', 'copy.tar.gz', '--force']);
    expect(restored.stdout).toMatch(
      /^Restored \d+ files? into .*\nWhat was there before is in .*before-restore-/,
    );
    const elsewhere = await yard.run(['restore', 'copy.tar.gz', '--home', 'other', '--json']);
    expect(JSON.parse(elsewhere.stdout)).toMatchObject({
      home: join(yard.work, 'other'),
      head: { schema: newest },
    });
    const { stdout } = await yard.run(['sessions', 'list', '--json']);
    expect(JSON.parse(stdout).items).toMatchObject([{ title: 'ping the server' }]);
  });

  it('say what is wrong with a file, and what to do', patient, async () => {
    await writeFile(join(yard.work, 'text'), 'just some words');
    for (const [file, words] of [
      ['text', 'is not a backup of Toolyard'],
      ['none', 'There is no file'],
    ]) {
      const { code, stderr } = await yard.run(['restore', file ?? '']);
      expect([code, stderr]).toEqual([1, expect.stringContaining(words ?? '')]);
    }
    expect((await yard.run(['restore'])).code).toBe(2);
  });
});

describe('an upgrade', () => {
  it('P17: is told to whoever started the server by a command', async () => {
    await mkdir(yard.home, { recursive: true });
    const old = await putOldDatabase(join(yard.home, 'toolyard.db'), 1);
    const { stdout, stderr } = await yard.run(['sessions', 'list', '--json']);
    expect(JSON.parse(stdout).items).toHaveLength(old.sessions.length);
    expect(stderr).toContain(`upgraded from schema 1 to ${newest}; first it is backed up`);
    expect(await readdir(join(yard.home, 'backups'))).toHaveLength(1);
  });
});
