// A run as its row has it: made by whoever comes first, and how much of its time is gone.
import type { RunRow, Session, StoreWrites, TurnHead } from '@toolyard/sdk';
import { readAgentChain } from '../agent-records/agent-tree.ts';

const minuteMs = 60_000;

/** Says whether there is one now; without its root session there can be none. */
export async function ensureRun(tx: StoreWrites, row: RunRow): Promise<boolean> {
  if (await tx.run(row.id)) return true;
  if (!(await tx.session(row.rootSessionId))) return false;
  await tx.insertRun({ ...row, agents: 0, spentUsd: 0, tokens: 0 });
  return true;
}

export function newRun(id: string, rootSessionId: string, startedAt: string): RunRow {
  const nothing = { raised: {}, agents: 0, spentUsd: 0, tokens: 0, waitedMs: 0 };
  return { id, rootSessionId, startedAt, ...nothing, lastActiveAt: startedAt };
}

/** Somebody works in it again: what lies between was nobody's time, and is not the run's. */
export function withoutGap(row: RunRow, now: number): RunRow {
  const gapMs = Math.max(0, now - Date.parse(row.lastActiveAt));
  return { ...row, waitedMs: row.waitedMs + gapMs, lastActiveAt: new Date(now).toISOString() };
}

/** How much of its time has gone: that in which somebody worked in it. */
export function elapsedMs({ startedAt, waitedMs }: RunRow, now: number): number {
  return Math.max(0, now - Date.parse(startedAt) - waitedMs);
}

/** Minutes that count. */
export function minutesOf(row: RunRow, now: number): number {
  return elapsedMs(row, now) / minuteMs;
}

/** Inside the commit that ends the turn: its run, its agent and all above it are charged, once. */
export async function chargeIn(
  tx: StoreWrites,
  session: Session,
  turn: TurnHead,
  { usd, tokens, at }: { usd: number; tokens: number; at: string },
): Promise<void> {
  const chain = await readAgentChain(tx, session);
  const own = chain[0] ?? (await tx.dispatchOfTurn(turn.id));
  const run = newRun(own?.runId ?? turn.originTurnId, session.rootSessionId, turn.startedAt ?? at);
  if (!(await ensureRun(tx, run))) return;
  const ids = chain.length === 0 && own ? [own.id] : chain.map(({ id }) => id);
  await tx.addSpending({ runId: run.id, dispatchIds: ids, costUsd: usd, tokens });
}
