// What a person adds to a limit: on record in the commit that stores their answer, once, and then in the open run. It goes
// to the run, or to the budget of an agent in it.
import {
  type AskedLimit,
  type DispatchRow,
  RunLimits,
  type RunRow,
  type StoreReads,
  type StoreWrites,
} from '@toolyard/sdk';
import { tellAgent } from './agent-rows.ts';
import type { OpenRun } from './open-runs.ts';
import { mostIn, type Purse } from './purse.ts';
import type { Reached } from './run-limits.ts';

/** Those that a turn spends from. */
export interface Purses {
  run: OpenRun;
  /** Of its agent and of those above it. */
  own: ReadonlyMap<string, Purse>;
}

/** What a run and agents in it have on record once a person has said yes. */
export interface RaisedRun extends Pick<RunRow, 'id' | 'raised'> {
  budgets: ReadonlyMap<string, number>;
}

/** Is the limit still where it was reached? */
export function isAt(purses: Purses, reached: Reached): boolean {
  const { limit, max } = reached;
  if (limit === 'budgetUsd') return purseOf(purses, reached).max === max;
  return limit !== 'dailyUsd' && purses.run.limits[limit] === max;
}

function purseOf({ run, own }: Purses, { agentId }: Reached): Purse {
  return (agentId === undefined ? undefined : own.get(agentId)) ?? run.purse;
}

/** `blocked`: those that had not enough. With more in one of them alone, the others would be in the way next. */
export function toAskedLimit(
  purses: Purses,
  reached: Reached & { limit: keyof RunLimits },
  { by, blocked }: { by: number; blocked: readonly Purse[] },
): AskedLimit {
  const { run, own } = purses;
  const { limit, max, agentId } = reached;
  const isInTheWay = (purse: Purse) =>
    purse === purseOf(purses, reached) || blocked.includes(purse) || mostIn([purse]) <= 0;
  const isMoney = limit === 'budgetUsd';
  const from: Record<string, number> = {};
  if (isMoney)
    for (const [id, purse] of own) if (Number.isFinite(purse.max) && isInTheWay(purse)) from[id] = purse.max;
  if (!isMoney || isInTheWay(run.purse)) from[run.row.id] = run.row.raised[limit] ?? 0;
  return { runId: run.row.id, limit, max, ...(agentId && { agentId }), raise: { by, from } };
}

/** Inside the commit that stores the yes. Nothing, when the limit is no longer the one that was asked about. */
export async function raiseIn(
  tx: StoreWrites,
  { runId, limit, agentId, raise: { by, from } }: AskedLimit,
  at: string,
): Promise<RaisedRun | undefined> {
  const run = await tx.run(runId);
  if (!run) return undefined;
  const had = (id: string) => (id === runId ? (run.raised[limit] ?? 0) : budgetOf(tx, id));
  const ids = new Set<string>();
  for (const [id, before] of Object.entries(from)) if ((await had(id)) === before) ids.add(id);
  if (!ids.has(agentId ?? runId)) return undefined;
  const raised = ids.has(runId) ? { ...run.raised, [limit]: (run.raised[limit] ?? 0) + by } : run.raised;
  await tx.updateRun(runId, { raised });
  const budgets = new Map<string, number>();
  for (const id of ids) if (id !== runId) budgets.set(id, (from[id] ?? 0) + by);
  for (const [id, budgetUsd] of budgets) await show(tx, id, { budgetUsd, at });
  if (limit === 'budgetUsd')
    for (const row of await sharersOf(tx, runId, ids))
      await show(tx, row.id, { budgetUsd: (row.budgetUsd ?? 0) + by, at });
  return { id: runId, raised, budgets };
}

/** After that commit. A run that was opened meanwhile may have read it already. */
export function followRaise(run: OpenRun, { raised, budgets }: RaisedRun): void {
  const more = (limit: keyof RunLimits) => (raised[limit] ?? 0) - (run.row.raised[limit] ?? 0);
  const limits = { ...run.limits };
  for (const limit of limitNames) limits[limit] += more(limit);
  run.purse.max += more('budgetUsd');
  run.limits = limits;
  run.row.raised = raised;
  for (const [id, budgetUsd] of budgets) {
    const purse = run.purses.get(id);
    if (purse) purse.max = budgetUsd;
  }
}

const limitNames = RunLimits.keyof().options;

async function budgetOf(tx: StoreReads, id: string): Promise<number | null | undefined> {
  return (await tx.dispatch(id))?.budgetUsd;
}

async function show(
  tx: StoreWrites,
  id: string,
  { budgetUsd, at }: { budgetUsd: number; at: string },
): Promise<void> {
  await tx.updateDispatch(id, { budgetUsd });
  await tellAgent(tx, id, at);
}

/** Agents without a budget of their own, whose money is now more. */
async function sharersOf(tx: StoreReads, runId: string, raised: ReadonlySet<string>): Promise<DispatchRow[]> {
  const sharers: DispatchRow[] = [];
  for (const row of await tx.dispatches({ runId, drafted: true, live: true, limit: 10_000 }))
    if (row.sharesBudget && row.budgetUsd !== null && raised.has((await ownerOf(tx, row)) ?? runId))
      sharers.push(row);
  return sharers;
}

/** The nearest above it that has a budget of its own; none when its money is the run's. */
async function ownerOf(tx: StoreReads, { parentAgentId }: DispatchRow): Promise<string | undefined> {
  const above = parentAgentId ? await tx.dispatch(parentAgentId) : undefined;
  return above?.sharesBudget ? ownerOf(tx, above) : above?.id;
}
