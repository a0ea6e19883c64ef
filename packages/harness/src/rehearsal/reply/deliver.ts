// Does the steps of a delivery on one HTTP response. Waits for a slow reader, and stops when the client goes away.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { pause } from '@toolyard/sdk';
import type { Action } from './delivery.ts';

/** What is sent without a wait between travels together up to this size. */
const batchCharacters = 32_768;
/** Long enough that the two halves of a character leave in two packets. */
const splitPauseMs = 2;
const maxSplits = 200;

export interface DeliverOptions {
  signal: AbortSignal;
  splitBytes: boolean;
}

export async function deliver(
  response: ServerResponse,
  actions: Iterable<Action>,
  { signal, splitBytes }: DeliverOptions,
): Promise<void> {
  const write = splitBytes ? writeSplit : writeWhole;
  let batch = '';
  const flush = async () => {
    if (batch !== '') await write(response, batch, signal);
    batch = '';
  };
  for (const action of actions) {
    if ('send' in action) batch += action.send;
    if (!('send' in action) || batch.length > batchCharacters) await flush();
    if ('waitMs' in action) await pause(action.waitMs, signal);
    if ('cut' in action) await cut(response);
    if (signal.aborted || response.destroyed) return;
  }
  await flush();
  response.end();
}

async function writeWhole(
  response: ServerResponse,
  data: string | Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  // Rejects when the client goes away, which the caller sees by the signal.
  if (!response.write(data)) await once(response, 'drain', { signal }).catch(() => {});
}

async function cut(response: ServerResponse): Promise<void> {
  // What was written in this tick leaves at its end, and would be lost with the connection before that.
  await pause(1);
  response.destroy();
}

/** Writes in pieces that each end inside a character. */
async function writeSplit(response: ServerResponse, text: string, signal: AbortSignal): Promise<void> {
  const bytes = Buffer.from(text);
  let from = 0;
  let splits = 0;
  for (let at = 1; at < bytes.length && splits < maxSplits; at++) {
    // A continuation byte right after the first byte of its character.
    const isInside = ((bytes[at] ?? 0) & 0xc0) === 0x80 && ((bytes[at - 1] ?? 0) & 0xc0) === 0xc0;
    if (!isInside) continue;
    await writeWhole(response, bytes.subarray(from, at), signal);
    await pause(splitPauseMs, signal);
    if (signal.aborted) return;
    from = at;
    splits++;
  }
  await writeWhole(response, bytes.subarray(from), signal);
}
