// Forking conversations of the real CLI: what the model is told in the fork is what the fork shows, and nothing is
// brought in twice.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Event, Session } from '@toolyard/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClaudeServer, openClaudeServer } from './claude-server.ts';
import { createDesk } from './desk-toolkit.ts';
import { until } from './person.ts';
import { callsOf, endOf, textOf } from './turn-outline.ts';

const desk = createDesk();
let server: ClaudeServer;
beforeAll(async () => {
  server = await openClaudeServer({ scenario: './claude-tools.yaml', toolkits: [desk.kit] });
});
afterAll(() => server.close());

/** What people have said in the conversation, as the model was last told it. */
function told(): string[] {
  const words = JSON.stringify(server.tap.asked.at(-1)?.messages ?? []);
  return [...words.matchAll(/look at (\w+)/g)].map(([, at = '']) => at);
}

async function logOf(id: string): Promise<Event[]> {
  const { lastSeq } = await server.client().sessions.get(id);
  return lastSeq === 0 ? [] : server.read(id, ({ seq }) => seq >= lastSeq);
}

const messagesIn = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === 'user_message' ? [String(event.data.content)] : []));

async function talk(...places: string[]): Promise<{ id: string; seqs: number[] }> {
  const { id } = await server.create({ mode: 'acceptEdits' });
  for (const at of places) await server.say(id, `look at ${at}`);
  const seqs = (await logOf(id)).flatMap((event) => (event.type === 'user_message' ? [event.seq] : []));
  return { id, seqs };
}

/** One about sun and moon, for tests that fork it and leave it as it is. */
let original: ReturnType<typeof talk> | undefined;
function sunAndMoon() {
  original ??= talk('sun', 'moon');
  return original;
}

test('a fork remembers what it shows and nothing that was said in the original after it was made, can be forked untouched, and the original stays as it was', async () => {
  const { id, seqs } = await talk('sun', 'moon', 'mars');
  const fork = await server.client().sessions.fork(id, { at: seqs[1] ?? 0 });
  expect(messagesIn(await logOf(fork.id))).toEqual(['look at sun', 'look at moon']);
  const events = await server.say(fork.id, 'look at venus');
  expect(callsOf(events)).toMatchObject([{ tool: 'mcp__desk__look', input: { at: 'venus' } }]);
  expect(told()).toEqual(['sun', 'moon', 'venus']);
  await server.say(fork.id, 'look at pluto');
  expect(told()).toEqual(['sun', 'moon', 'venus', 'pluto']);

  const whole = await server.client().sessions.fork(id);
  const second = await server.client().sessions.fork(whole.id);
  await server.say(id, 'look at earth');
  expect(told()).toEqual(['sun', 'moon', 'mars', 'earth']);
  await server.say(whole.id, 'look at venus');
  expect(told()).toEqual(['sun', 'moon', 'mars', 'venus']);
  await server.say(second.id, 'look at saturn');
  expect(told()).toEqual(['sun', 'moon', 'mars', 'saturn']);
});

test('a fork is not read in again from the copy that the CLI makes, nor listed twice, also after a restart; its costs are its own, also when the process of the original has ended', async () => {
  const { id } = await sunAndMoon();
  const fork = await forkWithCost(id);
  const before = (await logOf(fork.id)).length;
  const listed = (await server.client().sessions.list()).items.length;
  await server.restart();
  expect((await server.client().sessions.list()).items.length).toBe(listed);
  expect((await logOf(fork.id)).length).toBe(before);
  await server.say(fork.id, 'look at mars');
  expect(told()).toEqual(['sun', 'moon', 'venus', 'mars']);
  expect(messagesIn(await logOf(fork.id))).toEqual(
    ['sun', 'moon', 'venus', 'mars'].map((at) => `look at ${at}`),
  );
  await forkWithCost(id);
});

/** Forks it and looks at Venus there: what the fork costs is what it used itself. */
async function forkWithCost(id: string): Promise<Session> {
  const fork = await server.client().sessions.fork(id);
  expect(fork.costUsd).toBe(0);
  await server.say(fork.id, 'look at venus');
  const [forkedFrom, forked] = await Promise.all(
    [id, fork.id].map((each) => server.client().sessions.get(each)),
  );
  expect(forked?.costUsd).toBeGreaterThan(0);
  expect(forked?.costUsd).toBeLessThan((forkedFrom?.costUsd ?? 0) * 0.9);
  return fork;
}

test('a fork before the first message begins anew', async () => {
  const { id } = await sunAndMoon();
  const fork = await server.client().sessions.fork(id, { at: 0 });
  await server.say(fork.id, 'look at venus');
  expect(told()).toEqual(['venus']);
});

test('an interrupted turn is retried in the fork without being asked twice; the deleted original leaves the CLI’s transcript alone and is not found again in it', async () => {
  const { id } = await talk('sun');
  const turn = server.say(id, 'hold key7');
  await desk.held('key7');
  await server.client().sessions.interrupt(id);
  expect(endOf(await turn)).toEqual({ outcome: 'interrupted' });
  const fork = await server.client().sessions.fork(id);
  const { turnId } = await server.client().sessions.retry(fork.id);
  const events = await server.read(
    fork.id,
    (event) => event.type === 'turn_end' && event.data.turnId === turnId,
  );
  expect(endOf(events).outcome).toBe('completed');
  expect(JSON.stringify(server.tap.asked.at(-1)?.messages).match(/hold key7/g)).toHaveLength(1);
  expect(textOf(events)).not.toBe('');

  const folder = join(server.userHome, '.claude', 'projects');
  const names = async () =>
    (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.jsonl'));
  const before = await names();
  await server.client().sessions.delete(id);
  expect(await names()).toEqual(before);
  const isListed = async () => {
    const { items } = await server.client().sessions.list();
    return items.filter(({ title }) => title === 'look at sun').map((session) => session.id);
  };
  const listed = await isListed();
  expect(listed).not.toContain(id);
  await server.restart();
  await until('the list is never looked at', async () =>
    (await isListed()).length === listed.length ? true : undefined,
  );
  expect(await isListed()).toEqual(listed);
  expect(await readFile(join(folder, before[0] ?? ''), 'utf8')).not.toBe('');
});
