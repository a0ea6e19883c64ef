// The same as a person starts it: a real server process and real commands, stopped and started again.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Rehearsal, serveRehearsal } from '../../src/rehearsal/serve.ts';
import { createHome, type Running, type TestHome } from '../cli/toolyard-process.ts';
import { cliProcesses } from './cli-processes.ts';
import { createPerson } from './person.ts';
import { callsOf, textOf } from './turn-outline.ts';

let rehearsal: Rehearsal;
let at: TestHome;
beforeAll(async () => {
  const scenarioPath = fileURLToPath(new URL('./claude-tools.yaml', import.meta.url));
  rehearsal = await serveRehearsal({ scenarioPath });
  at = await createHome({ ANTHROPIC_BASE_URL: rehearsal.url, ANTHROPIC_API_KEY: 'key-of-the-tests' });
});
afterAll(async () => {
  await at.end();
  await rehearsal.close();
});

async function startServer() {
  const running = at.start(['serve', '--port', '0']);
  await running.until(/http:\/\/127\.0\.0\.1:\d+/);
  const { url } = (await at.server()) ?? { url: '' };
  const token = (await readFile(join(at.home, 'token'), 'utf8')).trim();
  return { running, person: createPerson(() => ({ url, token })) };
}

async function stop({ child, finished }: Running): Promise<number | null> {
  child.kill('SIGTERM');
  return (await finished).code;
}

test('a session goes on, with its tools, in the next process of the server; none of the CLI is left between', async () => {
  const first = await startServer();
  const { id } = await first.person.create({ mode: 'acceptEdits' });
  expect(callsOf(await first.person.say(id, 'ping the server'))).toMatchObject([{ isError: false }]);
  expect((await cliProcesses(at.env.HOME)).length).toBeGreaterThan(0);
  expect(await stop(first.running)).toBe(0);
  expect(await cliProcesses(at.env.HOME)).toEqual([]);

  const second = await startServer();
  expect(callsOf(await second.person.say(id, 'ping the server'))).toMatchObject([
    { tool: 'mcp__toolyard__ping', isError: false, output: { status: 'pong' } },
  ]);
  expect(textOf(await second.person.say(id, 'what did I say first'))).toContain('You have spoken 3 times.');
  expect(await stop(second.running)).toBe(0);
});

test('`run --engine claude` answers on stdout, and says which call was made', async () => {
  const { code, stdout, stderr } = await at.run([
    'run',
    '--engine',
    'claude',
    '--mode',
    'acceptEdits',
    'ping the server',
  ]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout).toContain('"status":"pong"');
  expect(stderr).toContain('ping');
});
