// What an agent said last, by its log: of a turn that was cut off by the end of the server nobody else knows.
import type { Event, StoreReads, TurnHead } from '@toolyard/sdk';

/** Further back nobody looks. */
const looked = 500;

export async function lastWordsOf(reads: StoreReads, { sessionId }: TurnHead): Promise<string> {
  const last = await reads.lastSeq(sessionId);
  return toLastWords(await reads.events(sessionId, Math.max(0, last - looked), looked));
}

/** What was said after the last call; without such, what was said before it. */
function toLastWords(events: readonly Event[]): string {
  let words = '';
  let isSaid = true;
  for (const { type, data } of events) {
    if (type === 'turn_start' || type === 'user_message') words = '';
    if (type === 'tool_call_start') isSaid = true;
    if (type !== 'text_delta') continue;
    words = isSaid ? data.text : words + data.text;
    isSaid = false;
  }
  return words;
}
