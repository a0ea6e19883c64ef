// Appends to the log: gives each session's events their numbers, inside the transaction and without gaps.
import type { Event, LogDraft } from '@toolyard/sdk';
import type { Kysely } from 'kysely';
import { prepareInsert, toInsertBatches } from '../sqlite/prepare.ts';
import type { Tables } from '../sqlite/tables.ts';
import { createPlaceReads, createPositionRead, type EventRow, type Place, toRow } from './events.ts';
import { sessionNotFound } from './sessions.ts';

/** Serves one transaction after another. */
export interface Appender {
  append(drafts: readonly LogDraft[]): Promise<Event[]>;
  /** The transaction is durable: gives what it has appended, and where in the log of all sessions that begins. */
  committed(): { events: Event[]; position: number };
  /** The transaction is gone, and what is remembered of numbers with it. */
  forget(): void;
  /** The session is being deleted: its number may soon be another's. */
  drop(sessionId: string): void;
}

const maxCachedSessions = 10_000;

export function createAppender(db: Kysely<Tables>): Appender {
  const places = new Map<string, Place>();
  const readPlaces = createPlaceReads(db);
  const readPosition = createPositionRead(db);
  const insert = prepareInsert(db, 'events');
  let appended: Event[] = [];
  /** The last position given; none until it was read. */
  let end: number | undefined;
  let tail: Promise<unknown> = Promise.resolve();

  async function store(drafts: readonly LogDraft[]): Promise<Event[]> {
    for (const ids of toInsertBatches(toUnknown(drafts, places))) {
      for (const [id, place] of await readPlaces(ids)) places.set(id, place);
    }
    end ??= await readPosition();
    const { events, rows, reached } = assignNumbers(drafts, places, end);
    for (const some of toInsertBatches(rows)) await insert(some);
    end += rows.length;
    for (const [id, place] of reached) places.set(id, place);
    appended.push(...events);
    return events;
  }

  return {
    append(drafts) {
      // One after another even when a write does not await: two at once would take the same numbers.
      const turn = tail.then(() => store(drafts));
      tail = turn.catch(() => {});
      return turn;
    },
    committed() {
      const events = appended;
      appended = [];
      if (places.size > maxCachedSessions) places.clear();
      return { events, position: (end ?? 0) - events.length + 1 };
    },
    forget() {
      places.clear();
      appended = [];
      end = undefined;
    },
    drop: (sessionId) => void places.delete(sessionId),
  };
}

/** The sessions whose place has still to be read. */
function toUnknown(drafts: readonly LogDraft[], places: ReadonlyMap<string, Place>): string[] {
  return [...new Set(drafts.map(({ sessionId }) => sessionId).filter((id) => !places.has(id)))];
}

/** Changes nothing: numbers count only once their rows are in, so that a refused draft leaves no hole. */
function assignNumbers(drafts: readonly LogDraft[], places: ReadonlyMap<string, Place>, end: number) {
  const rows: EventRow[] = [];
  const reached = new Map<string, Place>();
  const events = drafts.map((draft) => {
    const place = reached.get(draft.sessionId) ?? places.get(draft.sessionId);
    if (!place) throw sessionNotFound(draft.sessionId);
    const { lineage } = place;
    const seq = place.last + 1;
    const event = lineage ? { ...draft, seq, lineage } : { ...draft, seq };
    rows.push(toRow(event, place.sessionNumber, end + rows.length + 1));
    reached.set(draft.sessionId, { ...place, last: seq });
    return event;
  });
  return { events, rows, reached };
}
