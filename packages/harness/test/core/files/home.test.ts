// The home: two servers that start in a new one at the same moment know the same token.
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureToken } from '../../../src/core/files/home.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'toolyard-home-'));
});
afterEach(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));

describe('the token of a new home', () => {
  it('is the same for all that make it in the same moment, and the one in the file', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => ensureToken(home, {})));
    const kept = (await readFile(join(home, 'token'), 'utf8')).trim();
    expect(new Set(tokens)).toEqual(new Set([kept]));
    expect(await readdir(home)).toEqual(['token']);
    expect((await stat(join(home, 'token'))).mode & 0o777).toBe(0o600);
  });

  it('is made anew when the file has no word in it', async () => {
    await writeFile(join(home, 'token'), '\n');
    const token = await ensureToken(home, {});
    expect(token).toMatch(/^tyd_/);
    expect(await ensureToken(home, {})).toBe(token);
  });
});
