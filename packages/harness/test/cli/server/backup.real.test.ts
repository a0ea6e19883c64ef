// A server that takes its time to start because it upgrades, as a person sees it who only typed a command.
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newest, putOldDatabase } from '../../store/old-databases.ts';
import { createHome, type TestHome } from '../toolyard-process.ts';

let yard: TestHome;
beforeEach(async () => {
  yard = await createHome();
});
afterEach(() => yard.end());

describe('an upgrade', () => {
  it('P17: is told to whoever started the server by a command', async () => {
    await mkdir(yard.home, { recursive: true });
    const old = await putOldDatabase(join(yard.home, 'toolyard.db'), 1);
    const { stdout, stderr } = await yard.run(['sessions', 'list', '--json']);
    expect(JSON.parse(stdout).items).toHaveLength(old.sessions.length);
    expect(stderr).toContain(`from schema 1 to ${newest}; backing up the home first`);
    expect(await readdir(join(yard.home, 'backups'))).toHaveLength(1);
  });
});
