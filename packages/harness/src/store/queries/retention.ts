// Rows that nobody would miss, and room that the file can give back.
import type { RetentionReads, RetentionWrites } from '@toolyard/sdk';
import { type Kysely, sql } from 'kysely';
import type { Writer } from '../sqlite/sqlite.ts';
import { firstId, type Tables } from '../sqlite/tables.ts';

type Db = Kysely<Tables>;

/** To read all of them would stop everybody; so many tell how large the others are. */
const auditSample = 200;
const eventSample = 20;
/** Over a whole log: what was said last may be larger than all the rest. */
const places = JSON.stringify([...Array(eventSample).keys()]);
/** Bytes of a row beside its text, with its share of indexes. */
const rowBytes = { audit: 150, usage: 300, dispatch: 1_000, task: 500 };

export function createRetentionReads(db: Db): RetentionReads {
  return {
    async untouchedSessions({ before, limit, after }) {
      let query = selectUntouched(db).where('updated_at', '<', before).limit(limit);
      if (after) {
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('updated_at', 'id'), '>', tuple(after.updatedAt, after.id)),
        );
      }
      return (await query.execute()).map(({ id, updated_at: updatedAt }) => ({ id, updatedAt }));
    },

    async storeSize() {
      const { rows } = await sql<Size>`select page_size as page, page_count as pages, freelist_count as free
        from pragma_page_size(), pragma_page_count(), pragma_freelist_count()`.execute(db);
      const { page = 0, pages = 0, free = 0 } = rows[0] ?? {};
      return { usedBytes: (pages - free) * page, freeBytes: free * page };
    },

    async recordBytes() {
      const { rows } = await sql<{ bytes: number }>`select
        (select count(*) from usage) * ${rowBytes.usage} +
        (select ifnull(sum(octet_length(body) + ${rowBytes.dispatch}), 0) from dispatches) +
        (select ifnull(sum(octet_length(description) + ${rowBytes.task}), 0) from tasks) as bytes`.execute(
        db,
      );
      return (await estimateAudit(db)) + (rows[0]?.bytes ?? 0);
    },

    async heldBytes(before) {
      const free = selectUntouched(db).where('updated_at', '<', before).clearSelect().select('id');
      const own = sql`from events where session_number = sessions.number`;
      const { rows } = await sql<{ bytes: number }>`select ifnull(sum(
          (select max(seq) ${own}) *
          (select avg(octet_length(data)) ${own} and seq in (
            select 1 + value * ((select max(seq) ${own}) - 1) / ${eventSample - 1} from json_each(${places})))
        ), 0) as bytes
        from sessions where id >= ${firstId} and id not in (${free})`.execute(db);
      return Math.ceil(rows[0]?.bytes ?? 0);
    },
  };
}

/** Its rows are numbered without a gap. */
async function estimateAudit(db: Db): Promise<number> {
  const head = await db.selectFrom('audit_head').select('rows').executeTakeFirst();
  const rows = head?.rows ?? 0;
  // Neighbours in ten places: those of one call differ in size, in the same order each time.
  const stretch = auditSample / 10;
  const apart = Math.max(stretch, Math.floor(rows / 10));
  const sampled = Array.from(
    { length: auditSample },
    (_, index) => Math.floor(index / stretch) * apart + (index % stretch) + 1,
  );
  const { bytes } = await db
    .selectFrom('audit')
    .select(sql<number | null>`avg(octet_length(body))`.as('bytes'))
    .where('seq', 'in', sampled)
    .executeTakeFirstOrThrow();
  return Math.ceil(rows * ((bytes ?? 0) + rowBytes.audit));
}

interface Size {
  page: number;
  pages: number;
  free: number;
}

/** `closed` and `idle` say that nothing runs; the rows of what could run or be answered must agree. */
function selectUntouched(db: Db) {
  return db
    .selectFrom('sessions')
    .select(['id', 'updated_at'])
    .where('id', '>=', firstId)
    .where('status', 'in', ['idle', 'closed'])
    .where(({ not, exists }) => not(exists(selectOpen('turns', ['queued', 'running']))))
    .where(({ not, exists }) => not(exists(selectOpen('approvals', ['pending']))))
    .where(({ not, exists }) => not(exists(selectOpen('questions', ['pending']))))
    .where('origin', 'is', null)
    .orderBy('updated_at')
    .orderBy('id');
}

/** The session's rows of a table that are in one of some states. */
function selectOpen(table: 'turns' | 'approvals' | 'questions', states: string[]) {
  return sql`(select 1 from ${sql.table(table)} as asked
    where asked.session_id = sessions.id and asked.state in (${sql.join(states)}))`;
}

/** A file that was made before it could shrink keeps its free pages and fills them again. */
export function createRetentionWrites(writer: Writer): Pick<RetentionWrites, 'shrink'> {
  const ask = async (pragma: string) => Number((await writer.values(`PRAGMA ${pragma}`))[0]);
  return {
    async shrink(bytes) {
      const free = await ask('freelist_count');
      const pages = Math.min(free, Math.ceil(bytes / (await ask('page_size'))));
      if (pages === 0 || (await ask('auto_vacuum')) === 0) return false;
      writer.exec(`PRAGMA incremental_vacuum(${pages})`);
      return pages < free;
    },
  };
}

/**
 * Removing the work that tasks remember, once it is old and its session is gone. A task has counted it, and keeps that.
 */
export function createOldDispatchWrites(db: Db): Pick<RetentionWrites, 'removeDispatches'> {
  return {
    async removeDispatches({ before, limit, after }) {
      let page = db
        .selectFrom('dispatches')
        .select(['drafted_at', 'position'])
        .where('drafted_at', '<', before)
        .orderBy('drafted_at')
        .orderBy('position')
        .limit(limit);
      if (after) {
        page = page.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('drafted_at', 'position'), '>', tuple(after.draftedAt, after.position)),
        );
      }
      const rows = await page.execute();
      if (rows.length === 0) return { removed: 0 };
      const positions = rows.map(({ position }) => position);
      const { numDeletedRows } = await removeAmong(db, positions, before).executeTakeFirstOrThrow();
      const last = rows.length < limit ? undefined : rows.at(-1);
      const next = last && { draftedAt: last.drafted_at, position: last.position };
      return { removed: Number(numDeletedRows), ...(next && { next }) };
    },
  };
}

/** Whoever still works under the same root may have to know of it. */
function removeAmong(db: Db, positions: readonly number[], before: string) {
  return db
    .deleteFrom('dispatches')
    .where('position', 'in', positions)
    .where('ended_at', '<', before)
    .where(sql<boolean>`not exists (select 1 from sessions where id = dispatches.session_id)`)
    .where(
      sql<boolean>`not exists (select 1 from dispatches as other
        where other.live and other.root_session_id = dispatches.root_session_id)`,
    );
}
