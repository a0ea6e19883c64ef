// What a role allows an agent that is drafted into it, with all under it: tokens, time, and how many are drafted there. Its
// money is counted by its budget; the bound only says that nobody is asked for more.
import type { DispatchRow, Role, RoleBounds, RunRow, Session, StoreReads } from '@toolyard/sdk';
import { allDescendants, readAgentChain } from '../agent-records/agent-tree.ts';
import type { Reached } from './run-limits.ts';
import { elapsedMs } from './run-row.ts';

const minuteMs = 60_000;

/** An agent whose role bounds it, while its run is open. */
export interface Bounded {
  agentId: string;
  bounds: RoleBounds;
  tokens: number;
  /** How much of the run's time had gone when it began. */
  beganMs: number;
}

/** Of the root of a run they are the run's. */
export function toBounds({ limits = {} }: Role, run: RunRow | undefined): RoleBounds | undefined {
  const { tokens, wallMinutes, maxAgents, spawnPerMinute, budgetUsd } = limits;
  const given = Object.entries({ tokens, wallMinutes, maxAgents, spawnPerMinute, budgetUsd });
  const set = given.filter(([, limit]) => limit !== undefined);
  return run && set.length > 0 ? Object.fromEntries(set) : undefined;
}

/** One of which nobody knows when it began begins now. */
export function toBounded(row: DispatchRow, nowMs: number): Bounded | undefined {
  const { id: agentId, bounds, tokens = 0 } = row;
  return bounds && { agentId, bounds, tokens, beganMs: bounds.beganMs ?? nowMs };
}

/** Time that is nobody's in the run is not the agent's, either; nor is that in which it was queued. */
function minutesIn({ beganMs }: Bounded, run: RunRow, now: number): number {
  return Math.max(0, elapsedMs(run, now) - beganMs) / minuteMs;
}

/** The first bound that leaves nothing for another step. */
export function findExhaustedBound(all: readonly Bounded[], run: RunRow, now: number): Reached | undefined {
  return all.flatMap((each) => [...toTimes(each, run, now), ...toTokens(each)]).find(isExhausted);
}

export function toTimes(bounded: Bounded, run: RunRow, now: number): Reached[] {
  const { agentId, bounds } = bounded;
  if (bounds.wallMinutes === undefined) return [];
  const used = minutesIn(bounded, run, now);
  return [{ limit: 'wallMinutes', max: bounds.wallMinutes, used, agentId, isFixed: true }];
}

function toTokens({ agentId, bounds, tokens: used }: Bounded): Reached[] {
  return bounds.tokens === undefined
    ? []
    : [{ limit: 'tokens', max: bounds.tokens, used, agentId, isFixed: true }];
}

function isExhausted({ max, used }: Reached): boolean {
  return used >= max;
}

/** What is up first, and when. */
export function firstExpiring(times: readonly Reached[]): { leftMs: number; reached: Reached } | undefined {
  const [reached] = [...times].sort((one, other) => leftOf(one) - leftOf(other));
  return reached && { reached, leftMs: leftOf(reached) * minuteMs };
}

function leftOf({ max, used }: Reached): number {
  return max - used;
}

/** Inside the commit that drafts one more under `session`: is there an agent above whose role has enough? */
export async function findFullBound(
  tx: StoreReads,
  session: Pick<Session, 'agentId'>,
  now: number,
): Promise<Reached | undefined> {
  const since = new Date(now - minuteMs).toISOString();
  for (const { id: agentId, sessionId, bounds } of await readAgentChain(tx, session)) {
    const { maxAgents, spawnPerMinute } = bounds ?? {};
    if (maxAgents === undefined && spawnPerMinute === undefined) continue;
    const descendants = await allDescendants(tx, sessionId);
    const recent = descendants.filter(({ draftedAt }) => draftedAt > since);
    const counts = [
      ...toCount('maxAgents', maxAgents, descendants.length),
      ...toCount('spawnPerMinute', spawnPerMinute, recent.length),
    ];
    const full = counts.find(isExhausted);
    if (full) return { ...full, agentId, isFixed: true };
  }
  return undefined;
}

function toCount(limit: 'maxAgents' | 'spawnPerMinute', max: number | undefined, used: number): Reached[] {
  return max === undefined ? [] : [{ limit, max, used }];
}
