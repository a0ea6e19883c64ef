// Deleting sessions. A log may have a hundred thousand rows, and removing them at once would stop everybody: so a long
// one is put out of reach in one commit, and cleared away in many. A kill in between leaves it out of reach.
import type { StoreReads, StoreWrites } from '@toolyard/sdk';
import { type Kysely, sql } from 'kysely';
import { emptyDispatches } from '../agent-queries/dispatch-rows.ts';
import { toLimit } from '../sqlite/prepare.ts';
import { deletedPrefix, firstId, type Tables } from '../sqlite/tables.ts';
import { createIndexRemoval } from './search.ts';

type Db = Kysely<Tables>;

/** So many rows are removed with the session itself. */
const maxInlineEvents = 500;
/** And of large ones fewer, in any commit: to free their pages takes the time. */
const maxBytes = 67_108_864;

const dependentTables = [
  'turns',
  'tool_calls',
  'checkpoints',
  'entries',
  'transcripts',
  'approvals',
  'questions',
] as const;

export function createRemovalReads(db: Db): Pick<StoreReads, 'hasDeleted'> {
  return { hasDeleted: async () => (await selectDeleted(db).executeTakeFirst()) !== undefined };
}

function selectDeleted(db: Db) {
  return db
    .selectFrom('sessions')
    .select('number')
    .where('id', '>=', deletedPrefix)
    .where('id', '<', firstId)
    .limit(toLimit(1));
}

export function createRemovalWrites(db: Db): Pick<StoreWrites, 'deleteSession' | 'clearDeleted'> {
  const removeFromIndex = createIndexRemoval(db);

  /** The oldest of a session's events, with what search knows of them. Says whether there may be more. */
  async function removeEvents(number: number, limit: number): Promise<boolean> {
    const found = await db
      .selectFrom('events')
      .select(['position', 'seq', 'type', sql<number>`octet_length(data)`.as('bytes')])
      .where('session_number', '=', number)
      .orderBy('seq')
      .limit(toLimit(limit))
      .execute();
    const rows = takeFitting(found);
    await removeFromIndex(rows);
    const last = rows.at(-1);
    if (!last) return false;
    await db.deleteFrom('events').where('session_number', '=', number).where('seq', '<=', last.seq).execute();
    return rows.length < found.length || found.length === limit;
  }

  /** Its children are gone, so that its id may change. */
  async function markDeleted(number: number): Promise<void> {
    await db
      .updateTable('sessions')
      .set({ id: sql`${deletedPrefix} || id`, title: '', cwd: '', workspace: '', warnings: null })
      .where('number', '=', number)
      .execute();
  }

  /** A run that has agents under another session of the same caller, too, goes on as that one's. */
  async function deleteRuns(rootSessionId: string): Promise<void> {
    const other = sql`
      SELECT root_session_id FROM dispatches
      WHERE run_id = runs.id AND root_session_id <> ${rootSessionId} AND root_session_id IN (SELECT id FROM sessions)
      ORDER BY position DESC LIMIT 1`;
    await sql`
      UPDATE runs SET root_session_id = (${other}) WHERE root_session_id = ${rootSessionId} AND EXISTS (${other})
    `.execute(db);
    await db.deleteFrom('runs').where('root_session_id', '=', rootSessionId).execute();
  }

  return {
    async deleteSession(id) {
      const row = await db.selectFrom('sessions').select('number').where('id', '=', id).executeTakeFirst();
      if (!row) return false;
      for (const table of dependentTables) await db.deleteFrom(table).where('session_id', '=', id).execute();
      await db.deleteFrom('grants').where('holder', '=', id).execute();
      await deleteRuns(id);
      await emptyDispatches(db, id);
      await removeFromIndex([{ position: -row.number, type: 'title' }]);
      const isMore = await removeEvents(row.number, maxInlineEvents);
      if (isMore) await markDeleted(row.number);
      else await db.deleteFrom('sessions').where('number', '=', row.number).execute();
      return true;
    },
    async clearDeleted(limit) {
      const row = await selectDeleted(db).executeTakeFirst();
      if (!row) return false;
      const isMore = await removeEvents(row.number, limit);
      if (!isMore) await db.deleteFrom('sessions').where('number', '=', row.number).execute();
      return true;
    },
  };
}

/** One at least. */
function takeFitting<Row extends { bytes: number }>(rows: readonly Row[]): readonly Row[] {
  let sum = 0;
  const end = rows.findIndex(({ bytes }) => {
    sum += bytes;
    return sum > maxBytes;
  });
  return end < 0 ? rows : rows.slice(0, Math.max(end, 1));
}
