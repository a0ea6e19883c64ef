// What a person adds to a limit: on record in the commit that stores their answer, once, and then in the open run. It goes
// to the run, or to the budget of an agent in it.
import type { AskedLimit, DispatchRow, RunLimits, RunRow, StoreReads, StoreWrites } from '@toolyard/sdk';
import { appendAgentUpdate } from '../agent-records/agent-records.ts';
import { type Budget, minUnspent } from './budget.ts';
import type { OpenRun } from './open-runs.ts';
import { type Reached, toLimits } from './run-limits.ts';

/** Those that a turn spends from. */
export interface TurnBudgets {
  run: OpenRun;
  /** Of its agent and of those above it. */
  own: ReadonlyMap<string, Budget>;
}

/** What a run and agents in it have on record once a person has said yes. */
export interface RaisedRun extends Pick<RunRow, 'id' | 'raised'> {
  budgets: ReadonlyMap<string, number>;
}

/** Is the limit still where it was reached? */
export function isAt(budgets: TurnBudgets, reached: Reached): boolean {
  const { limit, max } = reached;
  if (limit === 'budgetUsd') return findBudget(budgets, reached).max === max;
  return limit !== 'dailyUsd' && budgets.run.limits[limit] === max;
}

function findBudget({ run, own }: TurnBudgets, { agentId }: Reached): Budget {
  return (agentId === undefined ? undefined : own.get(agentId)) ?? run.budget;
}

/** `blocked`: those that had not enough. With more in one of them alone, the others would be in the way next. */
export function toAskedLimit(
  budgets: TurnBudgets,
  reached: Reached & { limit: keyof RunLimits },
  { by, blocked }: { by: number; blocked: readonly Budget[] },
): AskedLimit {
  const { row } = budgets.run;
  const { limit, max, agentId } = reached;
  const ofRun = row.raised[limit] ?? 0;
  const from: Record<string, number> = {};
  if (limit !== 'budgetUsd') from[row.id] = ofRun;
  else
    for (const budget of findBlocking(budgets, reached, blocked))
      from[budget.agentId ?? row.id] = budget.agentId ? budget.max : ofRun;
  return { runId: row.id, limit, max, ...(agentId && { agentId }), raise: { by, from } };
}

/** How much more a person may give: what a role says is not theirs to raise. */
export function roomFor(
  budgets: TurnBudgets,
  reached: Reached & { limit: keyof RunLimits },
  blocked: readonly Budget[],
): number {
  const { root, limits } = budgets.run;
  const { limit } = reached;
  if (limit !== 'budgetUsd') return (root.role.limits?.[limit] ?? Number.POSITIVE_INFINITY) - limits[limit];
  const rooms = findBlocking(budgets, reached, blocked).map(({ roleMax, max }) =>
    roleMax === undefined ? Number.POSITIVE_INFINITY : roleMax - max,
  );
  return Math.min(...rooms);
}

function findBlocking(budgets: TurnBudgets, reached: Reached, blocked: readonly Budget[]): Budget[] {
  const reachedOne = findBudget(budgets, reached);
  return [budgets.run.budget, ...budgets.own.values()].filter(
    (budget) =>
      Number.isFinite(budget.max) &&
      (budget === reachedOne || blocked.includes(budget) || minUnspent([budget]) <= 0),
  );
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
export function applyRaise(run: OpenRun, { raised, budgets }: RaisedRun): void {
  run.limits = toLimits(run.root, raised);
  run.budget.max = run.limits.budgetUsd;
  run.row.raised = raised;
  for (const [id, budgetUsd] of budgets) {
    const budget = run.agentBudgets.get(id);
    if (budget) budget.max = budgetUsd;
  }
}

async function budgetOf(tx: StoreReads, id: string): Promise<number | null | undefined> {
  return (await tx.dispatch(id))?.budgetUsd;
}

async function show(
  tx: StoreWrites,
  id: string,
  { budgetUsd, at }: { budgetUsd: number; at: string },
): Promise<void> {
  await tx.updateDispatch(id, { budgetUsd });
  await appendAgentUpdate(tx, id, at);
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
  const parent = parentAgentId ? await tx.dispatch(parentAgentId) : undefined;
  return parent?.sharesBudget ? ownerOf(tx, parent) : parent?.id;
}
