// The log of a real server: in files, on a terminal, by its level, and after a kill.
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createHome, hasTerminal, type TestHome } from './toolyard-process.ts';

const homes: TestHome[] = [];
afterEach(() => Promise.all(homes.splice(0).map((home) => home.end())));

async function newHome(extra: Record<string, string> = {}): Promise<TestHome> {
  const home = await createHome(extra);
  homes.push(home);
  return home;
}

async function readLog({ home }: TestHome): Promise<{ level: string; message: string }[]> {
  const text = await readFile(join(home, 'logs', 'toolyard.log'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Serves, asks once and stops; gives what was printed. */
async function serveOnce(home: TestHome, terminal = false) {
  const running = home.start(['serve'], { terminal });
  await running.until(/try /);
  await (await home.client()).sessions.list();
  if (terminal) running.child.stdin?.write('\u0003');
  else running.child.kill('SIGTERM');
  return running.finished;
}

it.each([
  ['debug', true],
  ['DEBUG', true],
  ['info', false],
  ['silent', false],
])('TOOLYARD_LOG=%s says how much is in the file', async (level, hasRequests) => {
  const home = await newHome({ TOOLYARD_LOG: level });
  await serveOnce(home);
  const requests = (await readLog(home)).filter(({ message }) => message === 'request');
  expect(requests.length > 0).toBe(hasRequests);
});

it('a level that does not exist is refused with the nearest', async () => {
  const home = await newHome({ TOOLYARD_LOG: 'wran' });
  expect(await home.run(['serve'])).toMatchObject({
    code: 2,
    stderr:
      'error: TOOLYARD_LOG is "wran"; use one of debug, info, warn, error, silent. Did you mean "warn"?\n',
  });
});

it('where nobody watches a terminal, stderr has the lines of the file', async () => {
  const home = await newHome({ TOOLYARD_LOG: 'debug' });
  const { stderr } = await serveOnce(home);
  const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
  expect(lines.map((line) => JSON.parse(line))).toEqual(await readLog(home));
});

it.skipIf(!hasTerminal)('on a terminal, an entry is one readable line', async () => {
  const home = await newHome({ TOOLYARD_LOG: 'debug', NO_COLOR: '1' });
  const { stdout } = await serveOnce(home, true);
  expect(stdout).toMatch(
    /^\d\d:\d\d:\d\d debug request method=GET path=\/api\/sessions status=200 durationMs=[\d.]+ by=owner\r?$/m,
  );
});

it('a server in the background logs into the file and prints nothing', async () => {
  const home = await newHome({ TOOLYARD_LOG: 'debug' });
  expect((await home.run(['sessions', 'list'])).code).toBe(0);
  expect((await readLog(home)).some(({ message }) => message === 'request')).toBe(true);
  expect(await readFile(join(home.home, 'logs', 'server.log'), 'utf8')).not.toContain('"request"');
});

it('after a kill in the middle of a line, the next server begins a line of its own', async () => {
  const home = await newHome({ TOOLYARD_LOG: 'debug' });
  await serveOnce(home);
  await appendFile(join(home.home, 'logs', 'toolyard.log'), '{"time":"2026-');
  await serveOnce(home);
  const text = await readFile(join(home.home, 'logs', 'toolyard.log'), 'utf8');
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
