// Runs, and what is spent: by a run, by its agents and by their tasks.
import {
  type AgentReads,
  type AgentWrites,
  type Callers,
  type RunRow,
  type Spending,
  ToolyardError,
} from '@toolyard/sdk';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { RunTable } from '../sqlite/agent-tables.ts';
import { fromJson, toColumn, toJson } from '../sqlite/columns.ts';
import { prepare, toLimit } from '../sqlite/prepare.ts';
import type { Tables } from '../sqlite/tables.ts';

type Db = Kysely<Tables>;

export function createRunReads(db: Db): Pick<AgentReads, 'run' | 'latestRun' | 'spentSince'> {
  const byId = prepare(db, ({ id }: { id: string }) =>
    db.selectFrom('runs').selectAll().where('id', '=', id),
  );
  const latest = prepare(db, ({ rootSessionId }: { rootSessionId: string }) =>
    db
      .selectFrom('runs')
      .selectAll()
      .where('root_session_id', '=', rootSessionId)
      .orderBy('position', 'desc')
      .limit(toLimit(1)),
  );
  const latestOf = prepare(db, ({ caller, role, cwd }: Callers) =>
    db
      .selectFrom('runs')
      .selectAll('runs')
      .where('root_session_id', 'in', (eb) =>
        eb
          .selectFrom('sessions')
          .select('id')
          .where('caller', '=', caller)
          .where('role', '=', role)
          .where('cwd', '=', cwd),
      )
      .orderBy('position', 'desc')
      .limit(toLimit(1)),
  );
  const spent = prepare(db, ({ at }: { at: string }) =>
    db
      .selectFrom('usage')
      .select(sql<number | null>`sum(coalesce(charged_usd, cost_usd))`.as('sum'))
      .where('ended_at', '>=', at),
  );
  return {
    async run(id) {
      return toRun((await byId({ id })).rows[0]);
    },
    async latestRun(root) {
      const found =
        typeof root === 'string'
          ? await latest({ rootSessionId: root })
          : await latestOf({ ...root, cwd: toColumn(root.cwd) });
      return toRun(found.rows[0]);
    },
    async spentSince(at) {
      return (await spent({ at })).rows[0]?.sum ?? 0;
    },
  };
}

export function createRunWrites(db: Db): Pick<AgentWrites, 'insertRun' | 'updateRun' | 'addSpending'> {
  const insert = prepare(db, (row: ReturnType<typeof toRow>) => db.insertInto('runs').values(row));
  const spendOfRun = prepare(db, ({ id, usd, tokens, at }: Spent & { at?: string }) =>
    db
      .updateTable('runs')
      .set((eb) => ({
        spent_usd: eb('spent_usd', '+', usd),
        tokens: eb('tokens', '+', tokens),
        ...(at !== undefined && { last_active_at: at }),
      }))
      .where('id', '=', id),
  );
  const spendOfDispatch = prepare(db, ({ id, usd, unpriced, tokens }: Priced) =>
    db
      .updateTable('dispatches')
      .set((eb) => ({ ...addCost(usd, unpriced), tokens: eb('tokens', '+', tokens) }))
      .where('id', '=', id),
  );
  const spendOfTask = prepare(db, ({ id, usd, unpriced }: Omit<Priced, 'tokens'>) =>
    db
      .updateTable('tasks')
      .set(addCost(usd, unpriced))
      .where('slug', '=', (eb) => eb.selectFrom('dispatches').select('task_slug').where('id', '=', id)),
  );
  return {
    async insertRun(run) {
      await insert(toRow(run));
    },
    async updateRun(id, { raised, waitedMs, lastActiveAt }) {
      const patch = {
        ...(raised !== undefined && { raised: toJson(raised) }),
        ...(waitedMs !== undefined && { waited_ms: waitedMs }),
        ...(lastActiveAt !== undefined && { last_active_at: lastActiveAt }),
      };
      if (Object.keys(patch).length === 0) return;
      const { numUpdatedRows } = await db
        .updateTable('runs')
        .set(patch)
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) throw new ToolyardError('run_not_found', `There is no run ${id}.`);
    },
    async addSpending({ runId, dispatchIds, costUsd, tokens, at }: Spending) {
      const cost = { usd: costUsd ?? 0, unpriced: Number(costUsd === null) };
      await spendOfRun({ id: runId, usd: cost.usd, tokens, ...(at !== undefined && { at }) });
      for (const id of dispatchIds) await spendOfDispatch({ id, ...cost, tokens });
      const [own] = dispatchIds;
      // Once: those above it may work on the same task.
      if (own !== undefined) await spendOfTask({ id: own, ...cost });
    },
  };
}

interface Spent {
  id: string;
  usd: number;
  tokens: number;
}

interface Priced extends Spent {
  unpriced: number;
}

function addCost(usd: number, unpriced: number) {
  return { spent_usd: sql<number>`spent_usd + ${usd}`, unpriced: sql<number>`max(unpriced, ${unpriced})` };
}

function toRun(row: Selectable<RunTable> | undefined): RunRow | undefined {
  return (
    row && {
      id: row.id,
      rootSessionId: row.root_session_id,
      startedAt: row.started_at,
      raised: fromJson<RunRow['raised']>(row.raised, `run ${row.id}`),
      agents: row.agents,
      spentUsd: row.spent_usd,
      tokens: row.tokens,
      waitedMs: row.waited_ms,
      lastActiveAt: row.last_active_at,
    }
  );
}

function toRow(run: RunRow): Omit<Selectable<RunTable>, 'position'> {
  return {
    id: run.id,
    root_session_id: run.rootSessionId,
    started_at: run.startedAt,
    raised: toJson(run.raised),
    agents: run.agents,
    spent_usd: run.spentUsd,
    tokens: run.tokens,
    waited_ms: run.waitedMs,
    last_active_at: run.lastActiveAt,
  };
}
