// Reads through a session's log in pages that stay small however large its events are.
import { setImmediate } from 'node:timers/promises';
import type { Event, StoreReads } from '@toolyard/sdk';

const pageLength = 500;
export const pageBytes = 1_048_576;

/** The next page past `after`; empty at the end of the log. */
export function readPage(reads: Pick<StoreReads, 'events'>, id: string, after: number): Promise<Event[]> {
  return reads.events(id, after, pageLength, pageBytes);
}

export type Edge = Event<'user_message' | 'turn_start' | 'turn_end'>;

const firstWindow = 4;
const maxWindow = 256;

/** Messages and the edges of turns from an event back to the first one. Messages come without their words. */
export async function* readBackwards(
  reads: Pick<StoreReads, 'events'>,
  id: string,
  from: number,
): AsyncGenerator<Edge> {
  let length = firstWindow;
  for (let end = from; end > 0; end -= length, length = Math.min(2 * length, maxWindow)) {
    const edges: Edge[] = [];
    for (let after = Math.max(0, end - length); after < end; ) {
      const page = await reads.events(id, after, end - after, pageBytes);
      edges.push(...page.flatMap(toEdge));
      after = page.at(-1)?.seq ?? end;
      // Large ones: others go first.
      if (after < end) await setImmediate();
    }
    yield* edges.toReversed();
  }
}

function toEdge(event: Event): Edge[] {
  if (event.type === 'user_message') return [{ ...event, data: { ...event.data, content: '' } }];
  return event.type === 'turn_start' || event.type === 'turn_end' ? [event] : [];
}
