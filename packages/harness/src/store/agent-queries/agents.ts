// Dispatches: the agents' work on tasks, and people's own. The first end of one is its end, whatever comes later.
import {
  type AgentReads,
  type AgentWrites,
  type Callers,
  type DispatchFilter,
  type DispatchPatch,
  isLive,
  ToolyardError,
  type Worktree,
} from '@toolyard/sdk';
import { type Kysely, type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import type { DispatchTable } from '../sqlite/agent-tables.ts';
import { fromJson, toColumn, toJson } from '../sqlite/columns.ts';
import { prepare, toLimit } from '../sqlite/prepare.ts';
import type { Tables } from '../sqlite/tables.ts';
import { type DispatchTexts, type StoredDispatch, toDispatch, toRow, toUnresolved } from './dispatch-rows.ts';

type Db = Kysely<Tables>;
type Reads = Pick<AgentReads, 'dispatch' | 'dispatchOfTurn' | 'dispatches' | 'countDispatches'>;

export function createAgentReads(db: Db): Reads {
  const byId = prepareById(db);
  const byTurn = prepare(db, ({ turnId }: { turnId: string }) =>
    db
      .selectFrom('dispatches')
      .selectAll()
      .where('turn_id', '=', turnId)
      .orderBy('position', 'desc')
      .limit(toLimit(1)),
  );
  const page = prepare(db, (given: GivenPage) => selectPage(db, given));
  const count = prepare(db, (given: Given) =>
    where(db.selectFrom('dispatches'), given).select(({ fn }) => fn.countAll<number>().as('count')),
  );
  return {
    async dispatch(id) {
      const [row] = (await byId({ id })).rows;
      return row && toDispatch(row);
    },
    async dispatchOfTurn(turnId) {
      const [row] = (await byTurn({ turnId })).rows;
      return row && toDispatch(row);
    },
    async dispatches({ limit, after, ...filter }) {
      const given = { ...toGiven(filter), limit, ...(after !== undefined && { after }) };
      return (await page(given)).rows.map(toDispatch);
    },
    async countDispatches(filter) {
      return (await count(toGiven(filter))).rows[0]?.count ?? 0;
    },
  };
}

export function createAgentWrites(
  db: Db,
): Pick<AgentWrites, 'insertDispatch' | 'updateDispatch' | 'reopenDispatch'> {
  const byId = prepareById(db);
  const insert = prepare(db, (row: ReturnType<typeof toRow>) => db.insertInto('dispatches').values(row));
  const countAgent = prepare(db, ({ id }: { id: string }) =>
    db
      .updateTable('runs')
      .set((eb) => ({ agents: eb('agents', '+', 1) }))
      .where('id', '=', id),
  );
  const update = prepare(db, ({ id, ...columns }: { id: string } & Columns) =>
    db.updateTable('dispatches').set(columns).where('id', '=', id),
  );
  async function find(id: string): Promise<StoredDispatch> {
    const [row] = (await byId({ id })).rows;
    if (row) return row;
    throw new ToolyardError('agent_not_found', `There is no agent ${id}.`, { data: { agentId: id } });
  }
  return {
    async insertDispatch(row) {
      await insert(toRow(row));
      if (row.drafted) await countAgent({ id: row.runId });
    },
    async updateDispatch(id, patch) {
      const row = await find(id);
      const columns = isLive(row) ? toColumns(row, patch) : toLateColumns(row, patch);
      if (Object.keys(columns).length > 0) await update({ ...columns, id });
    },
    async reopenDispatch(id, turnId) {
      const row = await find(id);
      const { prompt, report, result } = fromJson<DispatchTexts>(row.said, `dispatch ${id}`);
      const texts: DispatchTexts = { prompt, ...(report && { report }), ...toSaidBefore(result) };
      const columns = { status: 'queued', unresolved: 1, turn_id: turnId, ended_at: null } as const;
      await update({ ...columns, ...toUnfinished(row), said: toJson(texts), id });
    },
  };
}

function prepareById(db: Db) {
  return prepare(db, ({ id }: { id: string }) =>
    db.selectFrom('dispatches').selectAll().where('id', '=', id),
  );
}

type Columns = Updateable<DispatchTable>;

function toColumns(row: StoredDispatch, patch: DispatchPatch): Columns {
  const { status = row.status, startedAt, endedAt, worktree, report, result, error } = patch;
  const { budgetUsd, bounds } = patch;
  const body = { ...(budgetUsd !== undefined && { budgetUsd }), ...(bounds && { bounds }) };
  const texts = { ...(report && { report }), ...(result && { result }), ...(error && { error }) };
  const hasTexts = Object.keys(texts).length > 0;
  const whole = { ...fromJson<DispatchTexts>(row.said, `dispatch ${row.id}`), ...texts };
  return {
    ...(status !== row.status && { status }),
    ...(!isLive({ status }) && { unresolved: toUnresolved({ ...whole, status }) }),
    ...(Object.keys(body).length > 0 && {
      body: toJson({ ...fromJson<object>(row.body, row.id), ...body }),
    }),
    ...(startedAt !== undefined && { started_at: startedAt }),
    ...(endedAt !== undefined && { ended_at: endedAt }),
    ...(worktree && { worktree: toJson(worktree) }),
    ...(hasTexts && { said: toJson(whole) }),
  };
}

function toSaidBefore(result: DispatchTexts['result']): Pick<DispatchTexts, 'saidBefore'> {
  return result && !result.reported ? { saidBefore: result.summary } : {};
}

/** Where it works again: what was found there at its end is of then. */
function toUnfinished({ id, worktree }: StoredDispatch): Columns {
  if (worktree === null) return {};
  const { branch, path, base } = fromJson<Worktree>(worktree, `dispatch ${id}`);
  return { worktree: toJson({ branch, path, base }) };
}

/**
 * Where it worked is cleared away after its end, and those under it may get more of its money. A second end has nothing to
 * say.
 */
function toLateColumns(row: StoredDispatch, { status, worktree, budgetUsd }: DispatchPatch): Columns {
  const late = { ...(worktree && { worktree }), ...(budgetUsd !== undefined && { budgetUsd }) };
  return status === undefined ? toColumns(row, late) : {};
}

/** The names say which conditions there are: `prepare` gives each set of them a form of its own. */
type Given = Partial<
  Record<keyof DispatchFilter | keyof Callers | 'notLive' | 'notUnresolved', string | number>
>;
type GivenPage = Given & { limit: number; after?: string };

function toGiven({ drafted, live, unresolved, under, ...filter }: DispatchFilter): Given {
  return {
    ...(under && { ...under, cwd: toColumn(under.cwd) }),
    ...Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)),
    ...(drafted !== undefined && { drafted: Number(drafted) }),
    ...(live !== undefined && { [live ? 'live' : 'notLive']: 1 }),
    ...(unresolved !== undefined && { [unresolved ? 'unresolved' : 'notUnresolved']: 1 }),
  };
}

function selectPage(db: Db, { limit, after, ...given }: GivenPage) {
  // With a plus its index is not walked: few are new, and they would be looked for among all.
  const order = given.since === undefined ? sql`position` : sql`+position`;
  const query = where(db.selectFrom('dispatches').selectAll(), given)
    .orderBy(order, 'desc')
    .limit(toLimit(limit));
  if (after === undefined) return query;
  return query.where('position', '<', (eb) =>
    eb.selectFrom('dispatches').select('position').where('id', '=', after),
  );
}

type Query<Row> = SelectQueryBuilder<Tables, 'dispatches', Row>;

/** SQLite knows nothing of how many rows have a value, so it is told: what has a plus is not looked up by. */
function where<Row>(query: Query<Row>, given: Given): Query<Row> {
  const { drafted, runId, parentSessionId, rootSessionId, taskSlug, since } = given;
  // The narrowest first.
  const all = {
    run_id: runId,
    parent_session_id: parentSessionId,
    root_session_id: rootSessionId,
    task_slug: taskSlug,
  };
  const owners = Object.entries(all).filter(([, value]) => value !== undefined);
  let asked = query;
  for (const [index, [column, value]] of owners.entries()) {
    asked = asked.where(sql<boolean>`${sql.raw(index === 0 ? '' : '+')}${sql.ref(column)} = ${value}`);
  }
  if (given.caller !== undefined) asked = asked.where(sql<boolean>`root_session_id IN ${sessionsOf(given)}`);
  const isAlone = Object.keys(given).length === 1;
  if (drafted !== undefined)
    asked = asked.where(sql<boolean>`${sql.raw(isAlone ? '' : '+')}drafted = ${drafted}`);
  // In these words the indexes of few rows are found.
  if (given.live !== undefined) asked = asked.where(sql<boolean>`live`);
  if (given.notLive !== undefined) asked = asked.where(sql<boolean>`not live`);
  if (given.unresolved !== undefined) asked = asked.where(sql<boolean>`unresolved`);
  if (given.notUnresolved !== undefined) asked = asked.where(sql<boolean>`not unresolved`);
  return since === undefined ? asked : asked.where(sql<boolean>`drafted_at > ${since}`);
}

function sessionsOf({ caller, role, cwd }: Given) {
  return sql`(SELECT id FROM sessions WHERE caller = ${caller} AND role = ${role} AND cwd = ${cwd})`;
}
