// Agents as trees: each run under its session, each agent under the one that drafted it. Pure.
import type { Agent, Run, Session } from '@toolyard/sdk';
import { toElapsed, toSpent } from '../terminal/agent-line.ts';

/** A run and its root session; the root is absent when it was deleted. */
export interface KnownRun {
  run?: Run | undefined;
  root?: Session | undefined;
}

export interface TreeRow {
  indent: number;
  cells: string[];
}

export const treeHead = ['AGENT', 'ROLE', 'STATE', 'COST', 'TIME', 'TASK', 'WORK'];

/** The newest run first; within a run, agents in the order in which they were drafted. */
export function toTree(
  agents: readonly Agent[],
  known: ReadonlyMap<string, KnownRun>,
  now: number,
): TreeRow[] {
  const byRun = Map.groupBy(agents, ({ runId }) => runId);
  return [...byRun].flatMap(([runId, members]) => [
    ...toRootRow(members, known.get(runId) ?? {}, now),
    ...toRows(members, now),
  ]);
}

/** An agent that a person drafted for themselves is the root of its run, and needs no row above it. */
function toRootRow(members: readonly Agent[], { run, root }: KnownRun, now: number): TreeRow[] {
  const [{ rootSessionId } = { rootSessionId: '' }] = members;
  if (members.some(({ sessionId }) => sessionId === rootSessionId)) return [];
  const { role = '–', status = 'deleted', title = '', taskSlug = '–' } = root ?? {};
  const cost = run ? toSpent(run.used.costUsd, run.limits.budgetUsd) : '–';
  const time = run ? toElapsed({ startedAt: run.startedAt, ...endOf(members, root) }, now) : '–';
  return [{ indent: 0, cells: [rootSessionId, role, status, cost, time, taskSlug, title] }];
}

/** A run lasts as long as its root or one of its agents is live. */
function endOf(members: readonly Agent[], root: Session | undefined): { endedAt?: string } {
  const ends = members.map(({ endedAt }) => endedAt ?? '');
  if (ends.includes('') || root?.status === 'running' || root?.status === 'waiting') return {};
  return { endedAt: ends.sort().at(-1) ?? '' };
}

function toRows(members: readonly Agent[], now: number): TreeRow[] {
  const ids = new Set(members.map(({ id }) => id));
  const oldest = [...members].sort((one, other) => (one.id < other.id ? -1 : 1));
  const byParent = Map.groupBy(oldest, ({ parentAgentId: id }) => (id && ids.has(id) ? id : ''));
  const rowsUnder = (parent: string): TreeRow[] =>
    (byParent.get(parent) ?? []).flatMap((agent) => [toRow(agent, now), ...rowsUnder(agent.id)]);
  return rowsUnder('');
}

function toRow(agent: Agent, now: number): TreeRow {
  const { id, role, status, costUsd, budgetUsd, taskSlug, prompt, depth } = agent;
  const cost = toSpent(costUsd, budgetUsd);
  return { indent: depth, cells: [id, role, status, cost, toElapsed(agent, now), taskSlug, prompt] };
}
