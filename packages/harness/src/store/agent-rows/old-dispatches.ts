// Removing the work that tasks remember, once it is old and its session is gone. A task has counted it, and keeps that.
import type { RetentionWrites } from '@toolyard/sdk';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../sqlite/tables.ts';

type Db = Kysely<Tables>;

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
