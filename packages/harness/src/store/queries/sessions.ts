// Session rows. `lastSeq` is not a column: it is asked of the log, so that an event costs no second write.
import { type Session, type StoreReads, type StoreWrites, ToolyardError } from '@toolyard/sdk';
import { type Kysely, type Selectable, sql } from 'kysely';
import { fromColumn, fromJson, toColumn, toJson } from '../sqlite/columns.ts';
import { prepare, toLimit } from '../sqlite/prepare.ts';
import { firstId, type SessionTable, type Tables } from '../sqlite/tables.ts';

type Db = Kysely<Tables>;
type Row = Selectable<SessionTable>;

export function createSessionReads(db: Db): Pick<StoreReads, 'session' | 'sessions' | 'countSessions'> {
  const byId = prepare(db, ({ id }: { id: string }) => selectSessions(db).where('id', '=', id));
  return {
    async session(id) {
      const [row] = (await byId({ id })).rows;
      return row && toSession(row);
    },
    async sessions({ limit, after }) {
      let query = selectSessions(db).where('id', '>=', firstId).orderBy('id', 'desc').limit(toLimit(limit));
      if (after !== undefined) query = query.where('id', '<', after);
      return (await query.execute()).map(toSession);
    },
    async countSessions(cwd) {
      const { count } = await db
        .selectFrom('sessions')
        .select((eb) => eb.fn.countAll().as('count'))
        .where('cwd', '=', toColumn(cwd))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
  };
}

type Patch = { id: string } & Partial<Pick<Row, 'title' | 'status' | 'cost_usd' | 'updated_at' | 'warnings'>>;

export function createSessionWrites(db: Db): Pick<StoreWrites, 'insertSession' | 'updateSession'> {
  const insert = prepare(db, (row: ReturnType<typeof toRow>) => db.insertInto('sessions').values(row));
  const update = prepare(db, ({ id, ...patch }: Patch) =>
    db.updateTable('sessions').set(patch).where('id', '=', id),
  );
  return {
    async insertSession(session) {
      await insert(toRow(session));
    },
    async updateSession(id, { title, model, mode, status, costUsd, updatedAt, warnings }) {
      const patch = {
        ...(title !== undefined && { title: toColumn(title) }),
        ...(model !== undefined && { model }),
        ...(mode !== undefined && { mode }),
        ...(status !== undefined && { status }),
        ...(costUsd !== undefined && { cost_usd: costUsd }),
        ...(updatedAt !== undefined && { updated_at: updatedAt }),
        ...(warnings !== undefined && { warnings: toJson(warnings) }),
      };
      if (Object.keys(patch).length === 0) return;
      const { numAffectedRows } = await update({ id, ...patch });
      if (numAffectedRows === 0n) throw sessionNotFound(id);
    },
  };
}

export function sessionNotFound(id: string): ToolyardError {
  return new ToolyardError('session_not_found', `There is no session ${id}.`, { data: { sessionId: id } });
}

function selectSessions(db: Db) {
  return db
    .selectFrom('sessions')
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom('events')
        .select((max) => max.fn.max('seq').as('last'))
        .whereRef('session_number', '=', 'sessions.number')
        .as('last_seq'),
    )
    .select(
      sql<number | null>`CASE WHEN cost_usd IS NULL THEN
        (SELECT sum(usage.cost_usd) FROM usage WHERE usage.session_id = sessions.id) END`.as('known_usd'),
    );
}

function toSession(row: Row & { last_seq: number | null; known_usd: number | null }): Session {
  return {
    id: row.id,
    title: fromColumn(row.title),
    role: row.role,
    engine: row.engine,
    model: fromColumn(row.model),
    mode: row.mode,
    cwd: fromColumn(row.cwd),
    workspace: fromColumn(row.workspace),
    status: row.status,
    lastSeq: row.last_seq ?? 0,
    rootSessionId: row.root_session_id,
    ...(row.parent_agent_id !== null && { parentAgentId: row.parent_agent_id }),
    ...(row.agent_id !== null && { agentId: row.agent_id }),
    ...(row.depth !== null && { depth: row.depth }),
    ...(row.task_slug !== null && { taskSlug: row.task_slug }),
    ...(row.caller !== null && { caller: row.caller }),
    costUsd: row.cost_usd,
    ...(row.known_usd && { knownUsd: row.known_usd }),
    ...(row.forked_from !== null && {
      forkedFrom: { sessionId: row.forked_from, seq: row.forked_at_seq ?? 0 },
    }),
    ...(row.origin !== null && { origin: row.origin }),
    ...(row.warnings !== null && { warnings: fromJson<string[]>(row.warnings, `session ${row.id}`) }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toRow(session: Omit<Session, 'lastSeq'>): Omit<Row, 'number'> {
  return {
    id: session.id,
    title: toColumn(session.title),
    role: session.role,
    engine: session.engine,
    model: toColumn(session.model),
    mode: session.mode,
    cwd: toColumn(session.cwd),
    workspace: toColumn(session.workspace),
    status: session.status,
    root_session_id: session.rootSessionId,
    parent_agent_id: session.parentAgentId ?? null,
    agent_id: session.agentId ?? null,
    depth: session.depth ?? null,
    task_slug: session.taskSlug ?? null,
    caller: session.caller ?? null,
    cost_usd: session.costUsd,
    created_at: session.createdAt,
    updated_at: session.updatedAt,
    origin: session.origin ?? null,
    warnings: session.warnings ? toJson(session.warnings) : null,
    forked_from: session.forkedFrom?.sessionId ?? null,
    forked_at_seq: session.forkedFrom?.seq ?? null,
  };
}
