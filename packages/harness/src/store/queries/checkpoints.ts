// What engines store to go on after a crash: a small state that is replaced and a transcript that only grows.
import type { Resume, StoreReads, StoreWrites } from '@toolyard/sdk';
import type { Kysely } from 'kysely';
import { fromColumn, fromJson, toChecksum, toColumn, toJson } from '../sqlite/columns.ts';
import { prepare, prepareInsert, toInsertBatches, toLimit } from '../sqlite/prepare.ts';
import { corruptRow } from '../sqlite/sqlite-errors.ts';
import type { Tables } from '../sqlite/tables.ts';

type Db = Kysely<Tables>;

export function createCheckpointReads(
  db: Db,
): Pick<StoreReads, 'resume' | 'checkpoint' | 'hasEntries' | 'entriesOf'> {
  const resume = prepare(db, ({ sessionId }: { sessionId: string }) => selectResume(db, sessionId));
  const checkpoint = prepare(db, ({ sessionId }: { sessionId: string }) =>
    db.selectFrom('checkpoints').select(['token', 'state']).where('session_id', '=', sessionId),
  );
  return {
    async resume(sessionId) {
      const { rows } = await resume({ sessionId });
      return rows.length > 0 ? toResume(sessionId, rows) : undefined;
    },
    async checkpoint(sessionId) {
      const [row] = (await checkpoint({ sessionId })).rows;
      return row && toCheckpoint(sessionId, row);
    },
    async entriesOf(originTurnId) {
      const rows = await db
        .selectFrom('entries')
        .select(['session_id', 'entry as text', 'origin_turn_id', 'checksum'])
        .where('origin_turn_id', '=', originTurnId)
        .orderBy('position')
        .execute();
      return rows.map(({ session_id, ...row }, index) => toEntry(session_id, row, index + 1));
    },
    async hasEntries(originTurnId) {
      const row = await db
        .selectFrom('entries')
        .select('position')
        .where('origin_turn_id', '=', originTurnId)
        .limit(toLimit(1))
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

type State = { session_id: string; token?: string; state?: string };

export function createCheckpointWrites(db: Db): Pick<StoreWrites, 'saveCheckpoint'> {
  const put = prepare(db, ({ session_id, ...patch }: State) =>
    db
      .insertInto('checkpoints')
      .values({ session_id, token: null, state: null, ...patch })
      .onConflict((conflict) => conflict.column('session_id').doUpdateSet(patch)),
  );
  const insertEntries = prepareInsert(db, 'entries');
  return {
    async saveCheckpoint({ sessionId, originTurnId }, { token, state, append = [] }) {
      const patch = {
        ...(token !== undefined && { token: toColumn(token) }),
        ...(state !== undefined && { state: toJson(state) }),
      };
      if (Object.keys(patch).length > 0) await put({ session_id: sessionId, ...patch });
      const rows = append.map(toJson).map((entry) => ({
        session_id: sessionId,
        origin_turn_id: originTurnId,
        entry,
        checksum: toChecksum(`${sessionId} ${originTurnId}`, entry),
      }));
      for (const some of toInsertBatches(rows)) await insertEntries(some);
    },
  };
}

/** The state and, after it, the transcript: in one statement, so that both are of the same moment. */
function selectResume(db: Db, sessionId: string) {
  const entries = db
    .selectFrom('entries')
    .select((eb) => [
      'position',
      eb.lit(null).$castTo<string | null>().as('token'),
      'entry as text',
      'origin_turn_id',
      'checksum',
    ])
    .where('session_id', '=', sessionId);
  return db
    .selectFrom('checkpoints')
    .select((eb) => [
      eb.lit(0).$castTo<number>().as('position'),
      'token',
      'state as text',
      eb.lit(null).$castTo<string | null>().as('origin_turn_id'),
      eb.lit(null).$castTo<number | null>().as('checksum'),
    ])
    .where('session_id', '=', sessionId)
    .unionAll(entries)
    .orderBy('position');
}

interface ResumeRow {
  /** 0 for the state, which may be missing. */
  position: number;
  token: string | null;
  text: string | null;
  origin_turn_id: string | null;
  checksum: number | null;
}

function toResume(sessionId: string, rows: ResumeRow[]): Resume {
  const { token = null, text = null } = rows.find(({ position }) => position === 0) ?? {};
  const entries = rows.filter(({ position }) => position > 0);
  return {
    ...toCheckpoint(sessionId, { token, state: text }),
    entries: entries.map((row, index) => toEntry(sessionId, row, index + 1)),
  };
}

function toCheckpoint(
  sessionId: string,
  { token, state }: { token: string | null; state: string | null },
): Omit<Resume, 'entries'> {
  return {
    ...(token !== null && { token: fromColumn(token) }),
    ...(state !== null && { state: fromJson<unknown>(state, `the engine state of session ${sessionId}`) }),
  };
}

function toEntry(
  sessionId: string,
  row: Pick<ResumeRow, 'text' | 'origin_turn_id' | 'checksum'>,
  number: number,
): unknown {
  const name = `entry ${number} of the transcript of session ${sessionId}`;
  if (row.text === null || toChecksum(`${sessionId} ${row.origin_turn_id}`, row.text) !== row.checksum) {
    throw corruptRow(name, 'is not what was written', { sessionId });
  }
  return fromJson<unknown>(row.text, name);
}
