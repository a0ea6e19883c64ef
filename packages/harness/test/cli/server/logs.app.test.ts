// The log of a server in its files: by its level, and after a kill.
import { appendFile, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openYard } from '../../../src/app.ts';
import { temporaryDirectory } from '../../support/yard.ts';

/** Opens a home, asks once and closes it; gives what is in the log. */
async function serveOnce(home: string, level: string): Promise<string> {
  const yard = await openYard({ home, env: { TOOLYARD_LOG: level }, workspace: tmpdir() });
  await yard.client().sessions.list();
  await yard.close();
  return readFile(join(home, 'logs', 'toolyard.log'), 'utf8').catch(() => '');
}

it.each([
  ['debug', true],
  ['DEBUG', true],
  ['info', false],
  ['silent', false],
])('TOOLYARD_LOG=%s says how much is in the file', async (level, hasRequests) => {
  const lines = (await serveOnce(await temporaryDirectory(), level)).split('\n').filter(Boolean);
  const requests = lines.map((line) => JSON.parse(line)).filter(({ message }) => message === 'request');
  expect(requests.length > 0).toBe(hasRequests);
});

it('a level that does not exist is refused with the nearest', async () => {
  await expect(serveOnce(await temporaryDirectory(), 'wran')).rejects.toMatchObject({
    code: 'invalid_config',
    message: 'TOOLYARD_LOG is "wran"; use one of debug, info, warn, error, silent. Did you mean "warn"?',
  });
});

it('after a kill in the middle of a line, the next server begins a line of its own', async () => {
  const home = await temporaryDirectory();
  await serveOnce(home, 'debug');
  await appendFile(join(home, 'logs', 'toolyard.log'), '{"time":"2026-');
  const text = await serveOnce(home, 'debug');
  const broken = text.split('\n').filter((line) => line && !isJson(line));
  expect(broken).toEqual(['{"time":"2026-']);
});

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
