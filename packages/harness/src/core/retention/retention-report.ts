// What retention did last, for the doctor and for people: one small file in the home, written whole or not at all.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivate } from '../files/home.ts';

export const Removed = z.object({
  sessions: z.int().nonnegative(),
  outputs: z.int().nonnegative(),
  traces: z.int().nonnegative(),
  logs: z.int().nonnegative(),
  /** What tasks remembered of agents, and of people's own turns. Older files do not say. */
  agents: z.int().nonnegative().default(0),
});
export type Removed = z.infer<typeof Removed>;

export const SweepReport = z.object({
  at: z.iso.datetime(),
  removed: Removed,
  /** Against the cap, after the sweep: sessions with their outputs and traces. */
  usedBytes: z.int().nonnegative(),
  /** Beside it, about: the audit, usage, tasks and logs, which no cap deletes. Older files do not say. */
  keptBytes: z.int().nonnegative().default(0),
  /** Above the cap, and what may go is not enough. */
  overCap: z.boolean(),
});
export type SweepReport = z.infer<typeof SweepReport>;

const RetentionFile = z.object({
  last: SweepReport,
  /** The last one that removed something. */
  lastRemoval: SweepReport.optional(),
});
export type RetentionFile = z.infer<typeof RetentionFile>;

const fileName = 'retention.json';

export async function readRetentionFile(home: string): Promise<RetentionFile | undefined> {
  const text = await readFile(join(home, fileName), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return RetentionFile.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export async function writeRetentionFile(home: string, last: SweepReport): Promise<void> {
  const before = await readRetentionFile(home);
  const lastRemoval = countRemoved(last.removed) > 0 ? last : before?.lastRemoval;
  const file: RetentionFile = { last, ...(lastRemoval && { lastRemoval }) };
  await writePrivate(join(home, fileName), `${JSON.stringify(file)}\n`);
}

export function countRemoved({ sessions, outputs, traces, logs, agents }: Removed): number {
  return sessions + outputs + traces + logs + agents;
}
