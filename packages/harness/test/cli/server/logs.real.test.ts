// The log of a server as a process: on stderr, on a terminal, in the background.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { homeTest as it, setTwoAtOnce } from '../home-test.ts';
import { hasTerminal, type TestHome } from '../toolyard-process.ts';

setTwoAtOnce();

const env = { TOOLYARD_LOG: 'debug', NO_COLOR: '1' };

async function readLog({ home }: TestHome): Promise<{ level: string; message: string }[]> {
  const text = await readFile(join(home, 'logs', 'toolyard.log'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Serves, asks once and stops; gives what was printed. */
async function serveOnce(yard: TestHome, terminal = false) {
  const running = yard.start(['serve'], { terminal, env });
  await running.until(/try /);
  await (await yard.client()).sessions.list();
  if (terminal) running.child.stdin?.write('\u0003');
  else running.child.kill('SIGTERM');
  return running.finished;
}

it.concurrent('where nobody watches a terminal, stderr has the lines of the file', async ({ yard }) => {
  const { stderr } = await serveOnce(yard);
  const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
  expect(lines.map((line) => JSON.parse(line))).toEqual(await readLog(yard));
});

it.skipIf(!hasTerminal).concurrent('on a terminal, an entry is one readable line', async ({ yard }) => {
  const { stdout } = await serveOnce(yard, true);
  expect(stdout).toMatch(
    /^\d\d:\d\d:\d\d debug request method=GET path=\/api\/sessions status=200 durationMs=[\d.]+ by=owner\r?$/m,
  );
});

it.concurrent('a server in the background logs into the file and prints nothing', async ({ yard }) => {
  expect((await yard.run(['sessions', 'list'], { env })).code).toBe(0);
  expect((await readLog(yard)).some(({ message }) => message === 'request')).toBe(true);
  expect(await readFile(join(yard.home, 'logs', 'server.log'), 'utf8')).not.toContain('"request"');
});
