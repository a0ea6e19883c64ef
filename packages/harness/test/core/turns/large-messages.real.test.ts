// Forking and deleting a session in which large messages wait: others are served meanwhile, and memory stays small. In
// a process of its own, whose memory nobody else has used before.
import { expect, it } from 'vitest';
import { firstPending, openLedgerYard } from '../../support/ledger.ts';
import { converse } from '../../support/yard.ts';

const messages = 12;
const text = 'many words, again and again '.repeat(150_000);
const file = { type: 'file' as const, name: 'long.txt', mediaType: 'text/plain', data: btoa(text) };
/** Generous: a slow machine is not what this is about. To read all of the messages once takes more of both. */
const longestMs = 1_000;
const maxBytes = 100_000_000;

/** The longest time that nobody else was served while this went on, and how much memory came with it. */
async function watch(work: () => Promise<unknown>): Promise<{ pausedMs: number; bytes: number }> {
  const before = process.memoryUsage().rss;
  const seen = { pausedMs: 0, bytes: 0 };
  let last = performance.now();
  const look = () => {
    const now = performance.now();
    seen.pausedMs = Math.max(seen.pausedMs, now - last);
    seen.bytes = Math.max(seen.bytes, process.memoryUsage().rss - before);
    last = now;
  };
  const timer = setInterval(look, 5);
  await work();
  look();
  clearInterval(timer);
  return seen;
}

it('neither a fork before large messages nor a delete of them keeps others waiting', async () => {
  const { yard } = await openLedgerYard();
  const client = yard.client();
  const { id } = await client.sessions.create();
  const first = converse(yard, id, 'pay bob');
  await client.approvals.answer((await firstPending(yard)).id, { decision: 'allow' });
  await first;
  const { seq } = await client.sessions.send(id, 'pay anna');
  await firstPending(yard);
  for (let sent = 0; sent < messages; sent++) await client.sessions.send(id, [file]);
  // What was just said is indexed, which is work of its own.
  await client.search({ q: 'words' });
  const fork = await watch(() => client.sessions.fork(id, { at: seq - 1 }));
  const deleted = await watch(() => client.sessions.delete(id));
  expect(fork.pausedMs).toBeLessThan(longestMs);
  expect(deleted.pausedMs).toBeLessThan(longestMs);
  expect(Math.max(fork.bytes, deleted.bytes)).toBeLessThan(maxBytes);
}, 60_000);
