import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pause } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { createFaultCounts } from '../../src/rehearsal/scenarios/fault-counts.ts';
import { parseScenario } from '../../src/rehearsal/scenarios/load-scenario.ts';
import { serveRehearsal } from '../../src/rehearsal/serve.ts';
import { isFullSoak } from '../support/soak.ts';
import { ask, say, serveText, user } from './asking.ts';

const slow = 'rules: [{ pace: { chunkChars: 5, delayMs: 20 }, reply: [{ text: "slow ", repeat: 1000 }] }]';
const said = { messages: [user('x')], stream: true };

// Without it a heap's size says more about when it was last swept than about what it holds.
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 400 && !holds(); i++) await pause(5);
}

test('listening is quick, on loopback, and every start has its own port', async () => {
  await (await serveRehearsal()).close();
  const startedAt = performance.now();
  const first = await serveRehearsal();
  const took = performance.now() - startedAt;
  const second = await serveRehearsal();
  expect([first.url, first.url === second.url, took < 100]).toEqual([
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    false,
    true,
  ]);
  await Promise.all([first.close(), second.close()]);
});

test('a port in use is said to be so, and a wrong scenario opens no port', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  // A TCP server's address is never a path.
  const { port } = other.address() as AddressInfo;
  const message = `Port ${port} on 127.0.0.1 is in use by another program. Stop it, or choose another port.`;
  await expect(serveRehearsal({ port })).rejects.toMatchObject({ code: 'port_in_use', message });
  await expect(serveRehearsal({ scenarioPath: '/nowhere.yaml' })).rejects.toMatchObject({
    code: 'invalid_config',
  });
  other.close();
});

test('given scenarios are asked in order, and the default one only when none is given', async () => {
  const first = parseScenario('rules: [{ when: { user: one }, reply: [{ text: first }] }]', 'a.yaml');
  const second = parseScenario('rules: [{ reply: [{ text: second }] }]', 'b.yaml');
  const rehearsal = await serveRehearsal({ scenarios: [first, second] });
  expect([await say(rehearsal.url, 'one'), await say(rehearsal.url, 'hello'), rehearsal.requests()]).toEqual([
    ['first'],
    ['second'],
    2,
  ]);
  await rehearsal.close();
});

describe('a client that goes away', () => {
  test('in the middle of a slow answer leaves nothing running', async () => {
    const rehearsal = await serveText(slow);
    const controller = new AbortController();
    const response = await ask(rehearsal.url, { ...said, signal: controller.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    expect(rehearsal.active()).toBe(1);
    controller.abort();
    await until(() => rehearsal.active() === 0);
    expect(rehearsal.active()).toBe(0);
    await rehearsal.close();
  });

  test('before the answer begins leaves nothing running', async () => {
    const rehearsal = await serveText(
      'rules: [{ pace: { initialDelayMs: 600000 }, reply: [{ text: late }] }]',
    );
    const controller = new AbortController();
    const asked = ask(rehearsal.url, { ...said, signal: controller.signal }).catch(() => 'gone');
    await until(() => rehearsal.active() === 1);
    controller.abort();
    await until(() => rehearsal.active() === 0);
    expect([await asked, rehearsal.active()]).toEqual(['gone', 0]);
    await rehearsal.close();
  });

  test('without reading a long answer leaves nothing running', async () => {
    // More than the buffers of two sockets hold.
    const blocks = Array.from({ length: 10 }, () => '{ text: x, repeat: 4194304 }').join(', ');
    const rehearsal = await serveText(`rules: [{ pace: { chunkChars: 65536 }, reply: [${blocks}] }]`);
    const controller = new AbortController();
    await ask(rehearsal.url, { ...said, signal: controller.signal });
    await pause(50);
    expect(rehearsal.active()).toBe(1);
    controller.abort();
    await until(() => rehearsal.active() === 0);
    expect(rehearsal.active()).toBe(0);
    await rehearsal.close();
  });
});

test('close cuts what is under way and may be called twice', async () => {
  const rehearsal = await serveText(slow);
  const response = await ask(rehearsal.url, said);
  const reading = response.text().then(
    () => 'ended',
    () => 'cut',
  );
  await rehearsal.close();
  await rehearsal.close();
  expect([await reading, rehearsal.active()]).toEqual(['cut', 0]);
});

test('many slow answers at once all arrive whole, each at its pace', async () => {
  const count = isFullSoak ? 200 : 60;
  const rehearsal = await serveText(
    'rules: [{ pace: { chunkChars: 5, delayMs: 20 }, reply: [{ text: "slow ", repeat: 25 }] }]',
  );
  const startedAt = performance.now();
  const texts = await Promise.all(
    Array.from({ length: count }, async () => (await ask(rehearsal.url, said)).text()),
  );
  const took = performance.now() - startedAt;
  const whole = texts.filter((text) => text.split('"slow "').length === 26 && text.includes('message_stop'));
  expect([whole.length, rehearsal.active(), took < 8_000]).toEqual([count, 0, true]);
  await rehearsal.close();
});

test('memory stays flat over hundreds of answers, or thousands', async () => {
  const rehearsal = await serveText(
    'rules: [{ fail: { status: 529, times: 1 }, reply: [{ text: xxxxxxxx, repeat: 4000 }] }]',
  );
  // Large enough that what is kept of so many questions or answers shows.
  const padding = 'x'.repeat(40_000);
  const count = isFullSoak ? 3_000 : 150;
  const exchange = async (name: string) => {
    const question = { messages: [user(`${name} ${padding}`)] };
    const statuses: number[] = [];
    for (let times = 0; times < 2; times++) {
      const response = await ask(rehearsal.url, question);
      statuses.push(response.status);
      await response.arrayBuffer();
    }
    expect(statuses).toEqual([529, 200]);
  };
  const round = async (from: number) => {
    for (let i = from; i < from + count; i += 50)
      await Promise.all(Array.from({ length: 50 }, (_, n) => exchange(`x${i + n}`)));
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = await round(0);
  const after = await round(count);
  expect((after - before) / 1_048_576).toBeLessThan(5);
  await rehearsal.close();
});

test('the count of faults forgets the oldest exchanges', () => {
  const counts = createFaultCounts();
  const rule = { when: {} };
  for (let i = 0; i <= 10_000; i++) counts.take(rule, `exchange ${i}`, 1);
  expect([counts.take(rule, 'exchange 0', 1), counts.take(rule, 'exchange 10000', 1)]).toEqual([true, false]);
});
