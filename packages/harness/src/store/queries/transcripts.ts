// Which transcripts on disk are which sessions, and how far each was read.
import type { StoreReads, StoreWrites, TranscriptRow } from '@toolyard/sdk';
import type { Kysely, Selectable } from 'kysely';
import { fromColumn, fromJson, toColumn, toOptionalJson } from '../sqlite/columns.ts';
import { prepare, toLimit } from '../sqlite/prepare.ts';
import type { Tables, TranscriptTable } from '../sqlite/tables.ts';

type Db = Kysely<Tables>;
type Row = Selectable<TranscriptTable>;

export function createTranscriptReads(
  db: Db,
): Pick<StoreReads, 'sessionsByToken' | 'transcript' | 'transcriptOf' | 'transcriptsOf' | 'transcripts'> {
  const byToken = prepare(db, (given: { engine: string; token: string }) =>
    db
      .selectFrom('transcripts')
      .selectAll()
      .where('engine', '=', given.engine)
      .where('token', '=', given.token),
  );
  const owners = prepare(db, (given: { engine: string; token: string }) =>
    db
      .selectFrom('checkpoints')
      .innerJoin('sessions', 'sessions.id', 'checkpoints.session_id')
      .select('sessions.id')
      .where('checkpoints.token', '=', given.token)
      .where('sessions.engine', '=', given.engine)
      .orderBy('sessions.id'),
  );
  const current = prepare(db, ({ sessionId }: { sessionId: string }) =>
    db
      .selectFrom('transcripts')
      .innerJoin('checkpoints', (join) =>
        join
          .onRef('checkpoints.session_id', '=', 'transcripts.session_id')
          .onRef('checkpoints.token', '=', 'transcripts.token'),
      )
      .selectAll('transcripts')
      .where('transcripts.session_id', '=', sessionId),
  );
  return {
    async sessionsByToken(engine, token) {
      const { rows } = await owners({ engine, token: toColumn(token) });
      return rows.map(({ id }) => id);
    },
    async transcript(engine, token) {
      const [row] = (await byToken({ engine, token: toColumn(token) })).rows;
      return row && toTranscript(row);
    },
    async transcriptOf(sessionId) {
      const [row] = (await current({ sessionId })).rows;
      return row && toTranscript(row);
    },
    async transcriptsOf(sessionId) {
      const rows = await db
        .selectFrom('transcripts')
        .selectAll()
        .where('session_id', '=', sessionId)
        .orderBy('token')
        .execute();
      return rows.map(toTranscript);
    },
    async transcripts({ engine, limit, after }) {
      let query = db.selectFrom('transcripts').selectAll().where('engine', '=', engine);
      if (after !== undefined) query = query.where('token', '>', toColumn(after));
      return (await query.orderBy('token').limit(toLimit(limit)).execute()).map(toTranscript);
    },
  };
}

export function createTranscriptWrites(db: Db): Pick<StoreWrites, 'putTranscript'> {
  const put = prepare(db, ({ engine, token, ...rest }: Row) =>
    db
      .insertInto('transcripts')
      .values({ engine, token, ...rest })
      .onConflict((conflict) => conflict.columns(['engine', 'token']).doUpdateSet(rest)),
  );
  return {
    async putTranscript(row) {
      await put(toRow(row));
    },
  };
}

function toTranscript(row: Row): TranscriptRow {
  return {
    engine: row.engine,
    token: fromColumn(row.token),
    sessionId: row.session_id,
    path: fromColumn(row.path),
    size: row.size,
    modifiedAt: row.modified_at,
    title: fromColumn(row.title),
    ...(row.cursor !== null && { cursor: fromJson<unknown>(row.cursor, `transcript ${row.token}`) }),
    ...(row.open_turn_id !== null && { openTurnId: row.open_turn_id }),
  };
}

function toRow(row: TranscriptRow): Row {
  return {
    engine: row.engine,
    token: toColumn(row.token),
    session_id: row.sessionId,
    path: toColumn(row.path),
    size: row.size,
    modified_at: row.modifiedAt,
    title: toColumn(row.title),
    cursor: toOptionalJson(row.cursor),
    open_turn_id: row.openTurnId ?? null,
  };
}
