// A run as its row has it: made by whoever comes first, and how much of its time is gone.
import type { RunRow, StoreWrites } from '@toolyard/sdk';

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
export function timeGone({ startedAt, waitedMs }: RunRow, now: number): number {
  return Math.max(0, now - Date.parse(startedAt) - waitedMs);
}

/** Minutes that count. */
export function minutesOf(row: RunRow, now: number): number {
  return timeGone(row, now) / minuteMs;
}
