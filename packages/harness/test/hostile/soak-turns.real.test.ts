// Many turns of all kinds on one server: what grows without end shows here. Short by default; TOOLYARD_SOAK=full takes
// ten thousand turns and prints what it measured.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@toolyard/sdk';
import { expect, it, onTestFinished } from 'vitest';
import { png, textFile } from '../support/images.ts';
import { isFullSoak } from '../support/soak.ts';
import { temporaryDirectory } from '../support/yard.ts';
import { type Held, startSoakServer } from './soak-server.ts';

const turns = isFullSoak ? 10_000 : 144;
const turnsPerSession = 12;
/** When it is weighed. By the first time every kind of turn was played, and everything is compiled. */
const weighings = isFullSoak ? [1_500, 4_000, 7_000, turns] : [48, turns];
const atOnce = 4;
const timeout = isFullSoak ? 3_600_000 : 120_000;
const megabyte = 1024 * 1024;

/** Each kind of turn in its turn; gives how it ended. */
async function playTurn(client: Client, id: string, kind: number): Promise<string> {
  const end = (content: Parameters<Client['sessions']['send']>[1]) => follow(client, id, content);
  if (kind % 12 === 3) return end([png(20_000), textFile('words'), { type: 'text', text: 'look' }]);
  if (kind % 12 === 5) return follow(client, id, 'tell me a long story', 'interrupt');
  if (kind % 12 === 7) return readOverSocket(client, id);
  if (kind % 12 === 9) return follow(client, id, 'how many sessions are there?', 'leave');
  return end(kind % 2 ? 'think about it' : 'ping the server');
}

/** Sends a message and reads to the end of its turn, or leaves the stream early and reads the end on another. */
async function follow(
  client: Client,
  id: string,
  content: Parameters<Client['sessions']['send']>[1],
  early?: 'interrupt' | 'leave',
): Promise<string> {
  const { turnId, seq } = await client.sessions.send(id, content);
  let isLeft = early === undefined;
  for (;;) {
    for await (const event of client.sessions.events(id, { after: seq - 1 })) {
      if (event.type === 'approval_required') await allow(client, event.data.approval.id);
      if (event.type === 'turn_end' && event.data.turnId === turnId) return event.data.outcome;
      if (isLeft || event.type !== 'text_delta') continue;
      isLeft = true;
      if (early === 'interrupt') await client.sessions.interrupt(id);
      else break;
    }
  }
}

async function allow(client: Client, id: string): Promise<void> {
  // Read again from an earlier place, it was answered already.
  await client.approvals.answer(id, { decision: 'allow', scope: 'once' }).catch(() => {});
}

async function readOverSocket(client: Client, id: string): Promise<string> {
  using socket = client.socket();
  const { lastSeq } = await client.sessions.get(id);
  const events = socket.events(id, { after: lastSeq });
  const { turnId } = await socket.send(id, 'hello');
  for await (const event of events)
    if (event.type === 'turn_end' && event.data.turnId === turnId) return event.data.outcome;
  return 'cut';
}

/** Plays turns from number to number, a few sessions at once. */
async function play(client: Client, from: number, to: number): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  let next = from;
  const work = async () => {
    while (next < to) {
      const first = next;
      next += turnsPerSession;
      const { id } = await client.sessions.create({ engine: 'native' });
      for (let turn = first; turn < Math.min(first + turnsPerSession, to); turn++) {
        const outcome = await playTurn(client, id, turn);
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return outcomes;
}

/** How many more there are of the kind that grew most. Lines that the client keeps open for its next request come and go. */
function maxGrown(before: Held['resources'], after: Held['resources']): number {
  const kinds = Object.keys(after).filter((kind) => kind !== 'TCPSocketWrap');
  return Math.max(...kinds.map((kind) => (after[kind] ?? 0) - (before[kind] ?? 0)));
}

it(`P16: ${turns} turns leave memory, handles and files flat`, { timeout }, async () => {
  const [home, temporary] = [join(await temporaryDirectory(), 'home'), await temporaryDirectory()];
  await mkdir(home, { mode: 0o700 });
  const server = await startSoakServer(home, temporary);
  onTestFinished(server.end);
  const weighed: Held[] = [];
  const outcomes: Record<string, number> = {};
  let played = 0;
  for (const until of weighings) {
    for (const [outcome, count] of Object.entries(await play(server.client, played, until)))
      outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
    weighed.push(await server.held());
    played = until;
    if (isFullSoak) process.stderr.write(`${until} turns: ${JSON.stringify(weighed.at(-1))}\n`);
  }
  const { completed = 0, interrupted = 0, ...other } = outcomes;
  expect([completed + interrupted, other]).toEqual([turns, {}]);
  expect(interrupted).toBeGreaterThan(0);

  const [before, after] = [weighed.at(-2), weighed.at(-1)];
  if (!before || !after) throw new Error('it was not weighed');
  expect(after.files).toEqual(before.files);
  // Each kind of turn was played often enough to leave more behind, and something may be under way at any time.
  expect(maxGrown(before.resources, after.resources)).toBeLessThan(6);
  expect(after.descriptors - before.descriptors).toBeLessThan(atOnce * 4);
  expect((after.heapBytes - before.heapBytes) / megabyte).toBeLessThan(6);
  expect((after.externalBytes - before.externalBytes) / megabyte).toBeLessThan(6);
  // The store's caches fill up at first, and an allocator does not give everything back.
  expect((after.rssBytes - before.rssBytes) / megabyte).toBeLessThan(isFullSoak ? 16 : 40);
});
