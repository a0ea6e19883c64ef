// The log's rows. A row that is not what was written, or a missing one, is reported and never passed over.
import type { Event, StoreReads, ToolyardError } from '@toolyard/sdk';
import type { Kysely, Selectable } from 'kysely';
import { fromJson, toChecksum, toJson } from './columns.ts';
import { atMost, prepare } from './prepare.ts';
import { corruptRow } from './sqlite-errors.ts';
import type { EventTable, Tables } from './tables.ts';

type Db = Kysely<Tables>;
export type EventRow = Omit<Selectable<EventTable>, 'position'>;

/** Where a session's log ends. */
export interface Place {
  sessionNumber: number;
  last: number;
}

export function createEventReads(db: Db): Pick<StoreReads, 'events' | 'lastSeq'> {
  const page = prepare(db, (wanted: Page) => selectEvents(db, wanted));
  const readPlaces = createPlaceReads(db);
  const lastSeq = async (sessionId: string) => (await readPlaces([sessionId])).get(sessionId)?.last ?? 0;

  async function readPage(wanted: Page): Promise<Event[]> {
    const { rows } = await page(wanted);
    return rows.map((row, index) => toEvent(wanted.sessionId, row, wanted.after + 1 + index));
  }

  return {
    lastSeq,
    async events(sessionId, after, limit) {
      const events = await readPage({ sessionId, after, limit });
      if (events.length === limit) return events;
      // A damaged index can hide rows without a word, so a page that ends early must end where the log does.
      const last = await lastSeq(sessionId);
      if (after + events.length >= last) return events;
      // Events may have come since the page was read; in a second look those up to `last` must be there.
      const again = await readPage({ sessionId, after, limit });
      if (again.length >= Math.min(limit, last - after)) return again;
      throw missingEvent(sessionId, after + again.length + 1);
    },
  };
}

/** Unknown sessions are left out. */
export function createPlaceReads(db: Db): (sessionIds: readonly string[]) => Promise<Map<string, Place>> {
  const select = prepare(db, (ids: Record<string, string>) => selectPlaces(db, Object.values(ids)));
  return async (sessionIds) => {
    const { rows } = await select(Object.fromEntries(sessionIds.entries()));
    return new Map(rows.map(({ id, number, last }) => [id, { sessionNumber: number, last: last ?? 0 }]));
  };
}

function selectPlaces(db: Db, sessionIds: string[]) {
  return db
    .selectFrom('sessions')
    .select(['id', 'number'])
    .select((eb) =>
      eb
        .selectFrom('events')
        .select((max) => max.fn.max('seq').as('last'))
        .whereRef('session_number', '=', 'sessions.number')
        .as('last'),
    )
    .where('id', 'in', sessionIds);
}

/** Always with the same columns in the same order: append.ts relies on it. */
export function toRow(event: Event, sessionNumber: number): EventRow {
  const { sessionId, seq, at, type } = event;
  const data = toJson(event.data);
  const checksum = toChecksum(`${sessionId} ${seq} ${at} ${type}`, data);
  return { session_number: sessionNumber, seq, at, type, data, checksum };
}

interface Page {
  sessionId: string;
  after: number;
  limit: number;
}

function selectEvents(db: Db, { sessionId, after, limit }: Page) {
  return db
    .selectFrom('events')
    .select(['seq', 'at', 'type', 'data', 'checksum'])
    .where('session_number', '=', (eb) =>
      eb.selectFrom('sessions').select('number').where('id', '=', sessionId),
    )
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(atMost(limit));
}

function toEvent(sessionId: string, row: Omit<EventRow, 'session_number'>, expected: number): Event {
  const { seq, at, type, data, checksum } = row;
  if (seq !== expected) throw missingEvent(sessionId, expected);
  if (toChecksum(`${sessionId} ${seq} ${at} ${type}`, data) !== checksum) {
    throw corruptRow(`event ${seq} of session ${sessionId}`, 'is not what was written', { sessionId, seq });
  }
  // Type and data were stored together from one typed draft, and the checksum says they still are.
  return { sessionId, seq, at, type, data: fromJson(data, `event ${seq} of session ${sessionId}`) } as Event;
}

function missingEvent(sessionId: string, seq: number): ToolyardError {
  return corruptRow(`event ${seq} of session ${sessionId}`, 'is missing', { sessionId, seq });
}
