// Transcripts whose sessions were deleted: known, so that a file that lies there on is not listed again.
import type { DeletedTranscript, StoreReads, StoreWrites } from '@toolyard/sdk';
import type { Kysely, Selectable } from 'kysely';
import { fromColumn, toColumn } from '../sqlite/columns.ts';
import { toLimit } from '../sqlite/prepare.ts';
import type { DeletedTranscriptTable, Tables } from '../sqlite/tables.ts';

type Db = Kysely<Tables>;
type Row = Selectable<DeletedTranscriptTable>;

export function createDeletedTranscriptReads(
  db: Db,
): Pick<StoreReads, 'deletedTranscript' | 'deletedTranscripts'> {
  const of = (engine: string) =>
    db.selectFrom('deleted_transcripts').selectAll().where('engine', '=', engine);
  return {
    async deletedTranscript(engine, token) {
      const row = await of(engine).where('token', '=', toColumn(token)).executeTakeFirst();
      return row && toDeleted(row);
    },
    async deletedTranscripts({ engine, limit, after }) {
      let query = of(engine).orderBy('token').limit(toLimit(limit));
      if (after !== undefined) query = query.where('token', '>', toColumn(after));
      return (await query.execute()).map(toDeleted);
    },
  };
}

export function createDeletedTranscriptWrites(
  db: Db,
): Pick<StoreWrites, 'putDeletedTranscript' | 'removeDeletedTranscript'> {
  return {
    async putDeletedTranscript(deleted) {
      const { engine, token, ...rest } = toRow(deleted);
      await db
        .insertInto('deleted_transcripts')
        .values({ engine, token, ...rest })
        .onConflict((conflict) => conflict.columns(['engine', 'token']).doUpdateSet(rest))
        .execute();
    },
    async removeDeletedTranscript(engine, token) {
      await db
        .deleteFrom('deleted_transcripts')
        .where('engine', '=', engine)
        .where('token', '=', toColumn(token))
        .execute();
    },
  };
}

function toDeleted(row: Row): DeletedTranscript {
  return {
    engine: row.engine,
    token: fromColumn(row.token),
    path: fromColumn(row.path),
    size: row.size,
    modifiedAt: row.modified_at,
    deletedAt: row.deleted_at,
  };
}

function toRow({ engine, token, path, size, modifiedAt, deletedAt }: DeletedTranscript): Row {
  return {
    engine,
    token: toColumn(token),
    path: toColumn(path),
    size,
    modified_at: modifiedAt,
    deleted_at: deletedAt,
  };
}
