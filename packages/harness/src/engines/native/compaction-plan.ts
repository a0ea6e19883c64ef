// When a conversation is to be summarised, and which part of it: near the end of the window, all but the latest. Never
// between a call and its result. Pure.
import type { MessageEntry } from './transcript/entries.ts';
import { type Sized, toMessageSize, toScale, toSize } from './transcript/token-estimate.ts';

/** Shares of the window. */
const compactShare = 0.8;
const maxKeepShare = 0.15;
/** What a summary may be made of: room for the request for it and the summary itself is left. */
const maxSendShare = 0.9;
/** No summary is longer. */
export const maxSummaryShare = 0.1;

export interface Plan {
  /** How many messages the summary is made of, from the first on. */
  send: number;
  /** How many stay as they are, from the last on. */
  keep: number;
}

export function isNearFull(size: number, window: number): boolean {
  return size > window * compactShare;
}

/** Nothing when there is nothing to be gained: all that is there is the latest. */
export function planCompaction(sized: Sized, base: number, window: number): Plan | undefined {
  const { entries } = sized;
  const scale = toScale(sized, base);
  const cut = findCut(entries, (window * maxKeepShare) / scale);
  if (cut === 0) return undefined;
  if (toSize(sized, base) <= window * maxSendShare)
    return { send: entries.length, keep: entries.length - cut };
  // More than the model can read: as much of the oldest part as it can.
  const send = findFit(sized, base, (window * maxSendShare) / scale, cut);
  return send === 0 ? undefined : { send, keep: entries.length - send };
}

/** The first of the latest messages: as many as fit into `room`, at least those that wait for an answer. */
function findCut(entries: readonly MessageEntry[], room: number): number {
  let cut = lastStart(entries);
  let used = 0;
  for (let at = entries.length - 1; at > 0; at -= 1) {
    used += sizeAt(entries, at);
    if (used > room) break;
    if (at < cut && canStart(entries, at)) cut = at;
  }
  return cut;
}

/** The latest place from which the conversation can go on: a person's word, or an answer with its results behind it. */
function lastStart(entries: readonly MessageEntry[]): number {
  return Math.max(
    0,
    entries.findLastIndex((_, at) => canStart(entries, at)),
  );
}

function findFit({ entries, summary }: Sized, base: number, room: number, max: number): number {
  let used = toSize({ entries: [], summary, scale: 1 }, base);
  let fit = 0;
  for (let at = 0; at < max; at += 1) {
    used += sizeAt(entries, at);
    if (used > room) break;
    if (at + 1 === max || canStart(entries, at + 1)) fit = at + 1;
  }
  return fit;
}

function canStart(entries: readonly MessageEntry[], at: number): boolean {
  return entries[at]?.message.role !== 'tool';
}

function sizeAt(entries: readonly MessageEntry[], at: number): number {
  const message = entries[at]?.message;
  return message ? toMessageSize(message) : 0;
}
