// The log. Numbers are given inside the transaction and have no gaps; a row that is not what was written, or a
// missing one, is reported and never passed over.
import type { Event, LogDraft, StoreReads } from '@toolyard/sdk';
import type { CompiledQuery, Kysely, Selectable } from 'kysely';
import { fromJson, toChecksum, toJson } from './columns.ts';
import { inRows } from './rows.ts';
import { sessionNotFound } from './sessions.ts';
import { corruptRow } from './sqlite-errors.ts';
import type { EventTable, Tables } from './tables.ts';

type Db = Kysely<Tables>;
type Row = Omit<Selectable<EventTable>, 'position'>;

const sessionsKept = 10_000;

export function createEventReads(db: Db): Pick<StoreReads, 'events' | 'lastSeq'> {
  return {
    async events(sessionId, after, limit) {
      const rows = await selectEvents(db, sessionId)
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(limit)
        .execute();
      return rows.map((row, index) => toEvent(sessionId, row, after + 1 + index));
    },
    async lastSeq(sessionId) {
      return (await readPlaces(db, [sessionId])).get(sessionId)?.last ?? 0;
    },
  };
}

/** Where a session's next event goes. */
interface Place {
  sessionNumber: number;
  last: number;
}

/** Appends to the log for one transaction after another. */
export interface Appender {
  append(drafts: readonly LogDraft[]): Promise<Event[]>;
  /** The transaction is durable: gives what it has appended. */
  committed(): Event[];
  /** The transaction is gone, or another owner may have written. */
  forget(): void;
}

export function createAppender(db: Db): Appender {
  const places = new Map<string, Place>();
  const insert = createInsert(db);
  let appended: Event[] = [];
  let tail: Promise<unknown> = Promise.resolve();

  async function place(drafts: readonly LogDraft[]): Promise<void> {
    const unknown = new Set(drafts.map(({ sessionId }) => sessionId).filter((id) => !places.has(id)));
    for (const ids of inRows([...unknown])) {
      for (const [id, found] of await readPlaces(db, ids)) places.set(id, found);
    }
  }

  async function store(drafts: readonly LogDraft[]): Promise<Event[]> {
    await place(drafts);
    const rows: Row[] = [];
    // Numbers count only once their rows are in: a draft that is refused must not leave a hole.
    const reached = new Map<string, Place>();
    const events = drafts.map((draft) => {
      const last = reached.get(draft.sessionId) ?? places.get(draft.sessionId);
      if (!last) throw sessionNotFound(draft.sessionId);
      const event = { ...draft, seq: last.last + 1 };
      rows.push(toRow(event, last.sessionNumber));
      reached.set(draft.sessionId, { ...last, last: event.seq });
      return event;
    });
    for (const some of inRows(rows)) await insert(some);
    for (const [id, last] of reached) places.set(id, last);
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
      if (places.size > sessionsKept) places.clear();
      return events;
    },
    forget() {
      places.clear();
      appended = [];
    },
  };
}

/** Kysely's work is done once per number of rows: here it would cost as much as SQLite's. */
function createInsert(db: Db): (rows: readonly Row[]) => Promise<void> {
  const compiled = new Map<number, CompiledQuery>();
  return async (rows) => {
    const query = compiled.get(rows.length) ?? db.insertInto('events').values(rows).compile();
    compiled.set(rows.length, query);
    await db.executeQuery({ ...query, parameters: rows.flatMap((row) => Object.values(row)) });
  };
}

async function readPlaces(db: Db, sessionIds: string[]): Promise<Map<string, Place>> {
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'number'])
    .select((eb) =>
      eb
        .selectFrom('events')
        .select((max) => max.fn.max('seq').as('last'))
        .whereRef('session_number', '=', 'sessions.number')
        .as('last'),
    )
    .where('id', 'in', sessionIds)
    .execute();
  return new Map(rows.map(({ id, number, last }) => [id, { sessionNumber: number, last: last ?? 0 }]));
}

function selectEvents(db: Db, sessionId: string) {
  return db
    .selectFrom('events')
    .select(['seq', 'at', 'type', 'data', 'checksum'])
    .where('session_number', '=', (eb) =>
      eb.selectFrom('sessions').select('number').where('id', '=', sessionId),
    );
}

function toRow(event: Event, sessionNumber: number): Row {
  const { sessionId, seq, at, type } = event;
  const data = toJson(event.data);
  const checksum = toChecksum(`${sessionId} ${seq} ${at} ${type}`, data);
  return { session_number: sessionNumber, seq, at, type, data, checksum };
}

function toEvent(sessionId: string, row: Omit<Row, 'session_number'>, expected: number): Event {
  const { seq, at, type, data, checksum } = row;
  if (seq !== expected) {
    throw corruptRow(`event ${expected} of session ${sessionId}`, 'is missing', { sessionId, seq: expected });
  }
  if (toChecksum(`${sessionId} ${seq} ${at} ${type}`, data) !== checksum) {
    throw corruptRow(`event ${seq} of session ${sessionId}`, 'is not what was written', { sessionId, seq });
  }
  // Type and data were stored together from one typed draft, and the checksum says they still are.
  return { sessionId, seq, at, type, data: fromJson(data, `event ${seq} of session ${sessionId}`) } as Event;
}
