// Where in a run a session stands, as its events tell: read with the session, never stored beside an event.
import type { Lineage } from '@toolyard/sdk';
import { type Kysely, sql } from 'kysely';
import { fromJson } from '../sqlite/columns.ts';
import { prepare } from '../sqlite/prepare.ts';
import type { Tables } from '../sqlite/tables.ts';

/** One column, and nothing for a session that nobody has drafted: most events are of those. */
export const lineageColumn = sql<string | null>`CASE WHEN sessions.agent_id IS NOT NULL THEN json_array(
  sessions.root_session_id, sessions.parent_agent_id, sessions.agent_id, sessions.depth) END`.as('lineage');

export function toLineage(column: string | null | undefined): Lineage | undefined {
  if (!column) return undefined;
  type Stored = [rootSessionId: string, parentAgentId: string | null, agentId: string, depth: number | null];
  const [rootSessionId, parentAgentId, agentId, depth] = fromJson<Stored>(column, 'a lineage');
  return { rootSessionId, ...(parentAgentId !== null && { parentAgentId }), agentId, depth: depth ?? 0 };
}

export function createLineageRead(db: Kysely<Tables>): (sessionId: string) => Promise<Lineage | undefined> {
  const select = prepare(db, ({ id }: { id: string }) =>
    db.selectFrom('sessions').select(lineageColumn).where('id', '=', id),
  );
  return async (id) => toLineage((await select({ id })).rows[0]?.lineage);
}
