// The log's rows. A row that is not what was written, or a missing one, is reported and never passed over.
import type { Event, Lineage, PlacedEvent, StoreReads, ToolyardError } from '@toolyard/sdk';
import { type Kysely, type Selectable, sql } from 'kysely';
import { fromJson, toChecksum, toJson } from '../sqlite/columns.ts';
import { prepare, toLimit } from '../sqlite/prepare.ts';
import { corruptRow } from '../sqlite/sqlite-errors.ts';
import { type EventTable, firstId, type Tables } from '../sqlite/tables.ts';

type Db = Kysely<Tables>;
export type EventRow = Selectable<EventTable>;

/** Where a session's log ends. */
export interface Place {
  sessionNumber: number;
  last: number;
  /** Of a drafted agent's session. */
  lineage?: Lineage;
}

type EventReads = Pick<StoreReads, 'events' | 'lastSeq' | 'allEvents' | 'lastPosition'>;

export function createEventReads(db: Db): EventReads {
  const page = prepare(db, (wanted: Page) => selectEvents(db, wanted));
  const sizes = prepare(db, (wanted: Page) => selectSizes(db, wanted));
  const allPage = prepare(db, (wanted: Omit<Page, 'sessionId'>) => selectAllEvents(db, wanted));
  const readPlaces = createPlaceReads(db);
  const readLineage = createLineageRead(db);
  const lastSeq = async (sessionId: string) => (await readPlaces([sessionId])).get(sessionId)?.last ?? 0;

  async function readPage(wanted: Page): Promise<Event[]> {
    const { rows } = await page(wanted);
    if (rows.length === 0) return [];
    const lineage = await readLineage(wanted.sessionId);
    return rows.map((row, index) => toEvent(wanted.sessionId, row, wanted.after + 1 + index, lineage));
  }

  /** How many of the next events fit, one at least. */
  async function countFitting(wanted: Page, maxBytes: number): Promise<number> {
    const { rows } = await sizes(wanted);
    let sum = 0;
    const end = rows.findIndex(({ bytes }) => {
      sum += bytes;
      return sum > maxBytes;
    });
    return end < 0 ? wanted.limit : Math.max(end, 1);
  }

  return {
    lastSeq,
    lastPosition: createPositionRead(db),
    async allEvents(after, limit) {
      const { rows } = await allPage({ after, limit });
      return toPlacedEvents(rows);
    },
    async events(sessionId, after, max, maxBytes) {
      const wanted = { sessionId, after, limit: max };
      const limit = maxBytes === undefined ? max : await countFitting(wanted, maxBytes);
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

/** The last position given, whether or not its event is still there. */
export function createPositionRead(db: Db): () => Promise<number> {
  const select = prepare(db, () => selectEnds(db));
  return async () => {
    const [row] = (await select({})).rows;
    return Math.max(row?.position ?? 0, row?.last ?? 0);
  };
}

function selectEnds(db: Db) {
  return db
    .selectFrom('log_end')
    .select('position')
    .select((eb) =>
      eb
        .selectFrom('events')
        .select((max) => max.fn.max('position').as('last'))
        .as('last'),
    );
}

/** Unknown sessions are left out. */
export function createPlaceReads(db: Db): (sessionIds: readonly string[]) => Promise<Map<string, Place>> {
  const select = prepare(db, (ids: Record<string, string>) => selectPlaces(db, Object.values(ids)));
  return async (sessionIds) => {
    const { rows } = await select(Object.fromEntries(sessionIds.entries()));
    return new Map(rows.map((row) => [row.id, toPlace(row)]));
  };
}

function toPlace(row: { number: number; last: number | null; lineage: string | null }): Place {
  const lineage = toLineage(row.lineage);
  return { sessionNumber: row.number, last: row.last ?? 0, ...(lineage && { lineage }) };
}

function selectPlaces(db: Db, sessionIds: string[]) {
  return db
    .selectFrom('sessions')
    .select(['id', 'number', lineageColumn])
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
export function toRow(event: Event, sessionNumber: number, position: number): EventRow {
  const { sessionId, seq, at, type } = event;
  const data = toJson(event.data);
  const checksum = toChecksum(`${sessionId} ${seq} ${at} ${type}`, data);
  return { position, session_number: sessionNumber, seq, at, type, data, checksum };
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
    .limit(toLimit(limit));
}

/** Looks at no data: their lengths stand beside them. */
function selectSizes(db: Db, { sessionId, after, limit }: Page) {
  return db
    .selectFrom('events')
    .select(sql<number>`octet_length(data)`.as('bytes'))
    .where('session_number', '=', (eb) =>
      eb.selectFrom('sessions').select('number').where('id', '=', sessionId),
    )
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(toLimit(limit));
}

/** With their sessions; an event whose session is gone was not deleted with it, and must not be passed over. */
function selectAllEvents(db: Db, { after, limit }: Omit<Page, 'sessionId'>) {
  return (
    db
      .selectFrom('events')
      .leftJoin('sessions', 'sessions.number', 'events.session_number')
      .select(['events.position', 'events.seq', 'events.at', 'events.type', 'events.data', 'events.checksum'])
      .select(['sessions.id as sessionId', lineageColumn])
      .where('events.position', '>', after)
      // Of a session that was deleted; null, of one that should be there.
      .where((eb) => eb.or([eb('sessions.id', '>=', firstId), eb('sessions.id', 'is', null)]))
      .orderBy('events.position')
      .limit(toLimit(limit))
  );
}

export type PlacedRow = Omit<EventRow, 'session_number'> & {
  sessionId: string | null;
  lineage?: string | null;
};

/** Positions have holes where sessions were deleted; a session's own numbers have none. */
export function toPlacedEvents(rows: readonly PlacedRow[]): PlacedEvent[] {
  const last = new Map<string, number>();
  return rows.map(({ position, sessionId, lineage, ...row }) => {
    if (sessionId === null) throw corruptRow(`the session of event ${row.seq} at ${position}`, 'is missing');
    const event = toEvent(sessionId, row, (last.get(sessionId) ?? row.seq - 1) + 1, toLineage(lineage));
    last.set(sessionId, row.seq);
    return { position, event };
  });
}

function toEvent(
  sessionId: string,
  row: Omit<EventRow, 'session_number' | 'position'>,
  expected: number,
  lineage: Lineage | undefined,
): Event {
  const { seq, at, type, data, checksum } = row;
  if (seq !== expected) throw missingEvent(sessionId, expected);
  const name = `event ${seq} of session ${sessionId}`;
  if (toChecksum(`${sessionId} ${seq} ${at} ${type}`, data) !== checksum) {
    throw corruptRow(name, 'is not what was written', { sessionId, seq });
  }
  // Type and data were stored together from one typed draft, and the checksum says they still are.
  const event = { sessionId, seq, at, type, data: fromJson(data, name) } as Event;
  return lineage ? { ...event, lineage } : event;
}

function missingEvent(sessionId: string, seq: number): ToolyardError {
  return corruptRow(`event ${seq} of session ${sessionId}`, 'is missing', { sessionId, seq });
}

/**
 * Where in a run a session stands, as its events tell: read with the session, never stored beside an event. One column,
 * and nothing for a session that nobody has drafted: most events are of those.
 */
const lineageColumn = sql<string | null>`CASE WHEN sessions.agent_id IS NOT NULL THEN json_array(
  sessions.root_session_id, sessions.parent_agent_id, sessions.agent_id, sessions.depth) END`.as('lineage');

function toLineage(column: string | null | undefined): Lineage | undefined {
  if (!column) return undefined;
  type Stored = [rootSessionId: string, parentAgentId: string | null, agentId: string, depth: number | null];
  const [rootSessionId, parentAgentId, agentId, depth] = fromJson<Stored>(column, 'a lineage');
  return { rootSessionId, ...(parentAgentId !== null && { parentAgentId }), agentId, depth: depth ?? 0 };
}

function createLineageRead(db: Kysely<Tables>): (sessionId: string) => Promise<Lineage | undefined> {
  const select = prepare(db, ({ id }: { id: string }) =>
    db.selectFrom('sessions').select(lineageColumn).where('id', '=', id),
  );
  return async (id) => toLineage((await select({ id })).rows[0]?.lineage);
}
