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
  return { id, rootSessionId, startedAt, raised: {}, agents: 0, spentUsd: 0, tokens: 0, waitedMs: 0 };
}

/** Minutes that count. */
export function minutesOf({ startedAt, waitedMs }: RunRow, now: number): number {
  return Math.max(0, now - Date.parse(startedAt) - waitedMs) / minuteMs;
}
