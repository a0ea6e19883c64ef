// The files of a home that are past their age, and those whose session is gone. Removes one at a time; what is in use or
// cannot be removed stays, with a word in the log.
import { lstat, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreReads } from '@toolyard/sdk';
import type { Logger } from '../lib/ports.ts';
import { entriesOf } from './disk-use.ts';
import type { Removed } from './retention-report.ts';

/** A session's files may be there a moment before anyone can see the session. */
const orphanAfterMs = 10 * 60_000;

export interface OldFilesDeps {
  home: string;
  reads: Pick<StoreReads, 'session'>;
  logger: Logger;
  /** A file changed since then is young; in milliseconds. */
  cutoff: number;
  now: number;
  signal: AbortSignal;
}

export async function removeOldFiles(deps: OldFilesDeps): Promise<Omit<Removed, 'sessions' | 'agents'>> {
  return {
    outputs: await removeOldOutputs(deps),
    traces: await removeOldTraces(deps),
    logs: await removeOldLogs(deps),
  };
}

async function removeOldOutputs(deps: OldFilesDeps): Promise<number> {
  let removed = 0;
  const folder = join(deps.home, 'outputs');
  for await (const { name: sessionId, isFolder } of entriesOf(folder)) {
    if (deps.signal.aborted) break;
    if (!isFolder) continue;
    const own = join(folder, sessionId);
    const isOrphan = await isOrphaned(deps, sessionId, own);
    for await (const { name } of entriesOf(own)) {
      if (deps.signal.aborted) break;
      const path = join(own, name);
      if (isOrphan || (await isOld(deps, path))) removed += await remove(deps, path);
    }
    // Only when it is empty, which is nobody's loss.
    if (isOrphan) await rmdir(own).catch(() => {});
  }
  return removed;
}

async function removeOldTraces(deps: OldFilesDeps): Promise<number> {
  let removed = 0;
  const folder = join(deps.home, 'traces');
  for await (const { name } of entriesOf(folder)) {
    if (deps.signal.aborted) break;
    const sessionId = /^(ses_[0-9a-z]+)\.jsonl$/.exec(name)?.[1];
    if (!sessionId) continue;
    const path = join(folder, name);
    const isRemovable = (await isOld(deps, path)) || (await isOrphaned(deps, sessionId, path));
    if (isRemovable) removed += await remove(deps, path);
  }
  return removed;
}

/** The growing ones are written to, or soon will be. */
async function removeOldLogs(deps: OldFilesDeps): Promise<number> {
  let removed = 0;
  const folder = join(deps.home, 'logs');
  for await (const { name } of entriesOf(folder)) {
    if (deps.signal.aborted) break;
    const isTurnedOver = /^toolyard\.\d+\.log$|^server\.log\.old$/.test(name);
    if (isTurnedOver && (await isOld(deps, join(folder, name)))) {
      removed += await remove(deps, join(folder, name));
    }
  }
  return removed;
}

async function isOrphaned({ reads, now }: OldFilesDeps, sessionId: string, path: string): Promise<boolean> {
  const changedAt = await findChangedAt(path);
  if (changedAt === undefined || now - changedAt < orphanAfterMs) return false;
  return (await reads.session(sessionId)) === undefined;
}

async function isOld({ cutoff }: OldFilesDeps, path: string): Promise<boolean> {
  const changedAt = await findChangedAt(path);
  return changedAt !== undefined && changedAt < cutoff;
}

async function findChangedAt(path: string): Promise<number | undefined> {
  return (await lstat(path).catch(() => undefined))?.mtimeMs;
}

async function remove({ logger }: OldFilesDeps, path: string): Promise<number> {
  try {
    await rm(path);
    return 1;
  } catch (cause) {
    logger.warn('could not remove an old file', { path, cause });
    return 0;
  }
}
