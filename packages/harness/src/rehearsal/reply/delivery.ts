// What is done to send a reply, step by step: at its pace, and broken in the way the scenario wants it broken.
// Pure; deliver.ts does the steps.

import { type Refusal, toErrorBody } from '../request/refusal.ts';
import type { Pace } from '../scenarios/scenario.ts';
import { type Frame, type FrameOptions, toFrames, toMessage } from './frames.ts';
import { lengthOf, type Reply } from './reply.ts';

export interface Delivery {
  pace: Pace;
  /** Ends the answer once this much of it is out: with an error, or by cutting the connection. */
  fault?: { afterChars: number; error?: Refusal } | undefined;
  malformed?: 'stream' | 'toolInput' | undefined;
}

export type Action = { send: string } | { waitMs: number } | { cut: true };

const defaultChunkChars = 40;
const brokenFrame =
  'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"te\n\n';

export function* toStreamActions(reply: Reply, delivery: Delivery): Generator<Action> {
  const { pace, fault, malformed } = delivery;
  let sent = 0;
  let isBroken = malformed !== 'stream';
  for (const frame of toFrames(reply, toFrameOptions(delivery))) {
    if (fault && isPast(fault.afterChars, sent, frame)) {
      yield fault.error ? { send: toSse('error', toErrorBody(fault.error)) } : { cut: true };
      return;
    }
    if (frame.characters > 0 && pace.delayMs) yield { waitMs: pace.delayMs };
    yield { send: toSse(frame.event, frame.data) };
    sent += frame.characters;
    if (!isBroken && frame.event === 'content_block_delta') {
      yield { send: brokenFrame };
      isBroken = true;
    }
  }
}

/** Takes as long as the stream would. */
export function* toMessageActions(reply: Reply, delivery: Delivery): Generator<Action> {
  const { pace, fault, malformed } = delivery;
  const options = toFrameOptions(delivery);
  const characters = reply.blocks.reduce((sum, block) => sum + lengthOf(block), 0);
  if (pace.delayMs) yield { waitMs: pace.delayMs * Math.ceil(characters / options.chunkChars) };
  const body = JSON.stringify(toMessage(reply, options));
  const isWhole = !fault && malformed !== 'stream';
  yield { send: isWhole ? body : body.slice(0, body.length / 2) };
  if (fault) yield { cut: true };
}

function toFrameOptions({ pace, fault, malformed }: Delivery): FrameOptions {
  const chunkChars = pace.chunkChars ?? defaultChunkChars;
  return {
    chunkChars: fault ? Math.min(chunkChars, Math.max(1, fault.afterChars)) : chunkChars,
    brokenInput: malformed === 'toolInput',
  };
}

/** An answer shorter than the limit still ends early, before its last events. */
function isPast(limit: number, sent: number, frame: Frame): boolean {
  return frame.event === 'message_delta' || (frame.event === 'content_block_delta' && sent >= limit);
}

function toSse(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
