// Retention: what nobody touched for long goes, and when the home is too large, what is untouched for longest. Works in
// the background and in small steps, each durable by itself, so that a kill between two of them leaves nothing half done.
// Never touches what is running, waited for, or evidence.
import { join } from 'node:path';
import {
  type Config,
  type DispatchPlace,
  pause,
  type Store,
  ToolyardError,
  type UntouchedSession,
} from '@toolyard/sdk';
import type { Clock, Logger } from '../lib/ports.ts';
import { measure } from './disk-use.ts';
import { removeOldFiles } from './old-files.ts';
import { countRemoved, type SweepReport, writeRetentionFile } from './retention-report.ts';

const dayMs = 86_400_000;
const megabyte = 1024 * 1024;
/** Between two steps others have their turn. */
const stepDelayMs = 2;
/** Above the cap too, a session that somebody has just left is not taken away under them. */
const recentMs = 3_600_000;
/** Of rows and pages in one commit: some milliseconds. */
const rowBatchSize = 500;
const shrinkBytes = megabyte;
const pageLength = 50;

export interface RetentionDeps {
  home: string;
  store: Store;
  config: Config['retention'];
  clock: Clock;
  logger: Logger;
  /** Deletes a session with its files, unless it was touched since. Says whether it did. */
  deleteSession(session: UntouchedSession): Promise<boolean>;
}

export interface Retention {
  /** One pass over everything, up to its end or the next step after `signal` aborts. Rejects when the disk refuses. */
  sweep(signal: AbortSignal): Promise<SweepReport>;
}

export function createRetention(deps: RetentionDeps): Retention {
  const { home, config, clock, logger } = deps;
  const maxBytes = config.maxMb * megabyte;

  async function go(signal: AbortSignal): Promise<SweepReport> {
    const now = clock.now();
    const cutoff = now - config.days * dayMs;
    const pass: Pass = { ...deps, signal, used: { files: 0, kept: 0 } };
    await clearDeleted(pass);
    const aged = await deleteUntouched(pass, cutoff, async () => true);
    const agents = await removeAgents(pass, cutoff);
    const files = await removeOldFiles({ ...pass, reads: deps.store.reads, cutoff, now });
    pass.used.files = await measureFolders(home, ['outputs', 'traces'], signal);
    pass.used.kept = await deps.store.reads.recordBytes();
    const crowded = await deleteCrowded(pass, now - recentMs);
    await shrink(pass);
    const usedBytes = await findUsed(pass);
    const keptBytes = pass.used.kept + (await measureFolders(home, ['logs'], signal));
    const removed = { sessions: aged + crowded, agents, ...files };
    const at = new Date(now).toISOString();
    return { at, removed, usedBytes, keptBytes, overCap: usedBytes > maxBytes };
  }

  /** None at all when all of them would not be enough: a person would lose everything, and gain nothing. */
  async function deleteCrowded(pass: Pass, before: number): Promise<number> {
    const isOver = async () => (await findUsed(pass)) > maxBytes;
    if (!(await isOver()) || (await findHeld(pass, before)) > maxBytes) return 0;
    return deleteUntouched(pass, before, isOver);
  }

  return {
    async sweep(signal) {
      const report = await go(signal);
      if (signal.aborted) return report;
      await writeRetentionFile(home, report);
      if (countRemoved(report.removed) > 0) logger.info('retention removed old data', { ...report });
      if (report.overCap) {
        logger.warn('sessions exceed retention.maxMb, and deleting those that may be deleted is not enough', {
          ...report,
        });
      }
      if (report.keptBytes > maxBytes) {
        logger.warn('data that is always kept exceeds retention.maxMb', { ...report });
      }
      return report;
    },
  };
}

interface Pass extends RetentionDeps {
  signal: AbortSignal;
  /**
   * Bytes of outputs and traces, kept up to date: to look at all of them each time would take too long; and of rows that
   * stay whatever is deleted.
   */
  used: { files: number; kept: number };
}

/**
 * Bytes against the cap: those that could go with a session. Pages that are free in the file will be filled again, and
 * are no reason to delete; nor is what stays.
 */
async function findUsed({ store, used }: Pass): Promise<number> {
  return used.files + Math.max(0, (await store.reads.storeSize()).usedBytes - used.kept);
}

/** Bytes of them that are of sessions which may not go now. */
async function findHeld(pass: Pass, before: number): Promise<number> {
  const { home, store, used } = pass;
  let free = 0;
  for await (const { id } of listUntouched(pass, before)) free += await measureOwn(home, id);
  return used.files - free + (await store.reads.heldBytes(new Date(before).toISOString()));
}

async function measureFolders(home: string, folders: string[], signal: AbortSignal): Promise<number> {
  let bytes = 0;
  for (const folder of folders) bytes += await measure(join(home, folder), signal);
  return bytes;
}

/** Of a session's files. */
async function measureOwn(home: string, sessionId: string): Promise<number> {
  const outputs = await measure(join(home, 'outputs', sessionId));
  return outputs + (await measure(join(home, 'traces', `${sessionId}.jsonl`)));
}

/** The longest untouched first, up to the next after `signal` aborts. */
async function* listUntouched({ store, signal }: Pass, before: number): AsyncGenerator<UntouchedSession> {
  const wanted = { before: new Date(before).toISOString(), limit: pageLength };
  for (let last: UntouchedSession | undefined; ; ) {
    const page = await store.reads.untouchedSessions({ ...wanted, after: last });
    for (const session of page) {
      if (signal.aborted) return;
      yield session;
    }
    last = page.at(-1);
    if (!last) return;
  }
}

/** As long as `shouldContinue` says so. Gives how many. */
async function deleteUntouched(
  pass: Pass,
  before: number,
  shouldContinue: () => Promise<boolean>,
): Promise<number> {
  let deleted = 0;
  for await (const session of listUntouched(pass, before)) {
    if (!(await shouldContinue())) break;
    if (await deleteOne(pass, session)) deleted += 1;
  }
  return deleted;
}

async function deleteOne(pass: Pass, session: UntouchedSession): Promise<boolean> {
  const { home, logger, signal, used } = pass;
  const { id: sessionId, updatedAt } = session;
  const bytes = await measureOwn(home, sessionId);
  try {
    if (!(await pass.deleteSession(session))) return false;
    logger.info('retention deleted a session', { sessionId, updatedAt });
  } catch (cause) {
    // A disk that refuses one refuses all; whatever else is wrong with one must not keep the others.
    if (cause instanceof ToolyardError && refusing.has(cause.code)) throw cause;
    logger.warn('retention could not delete a session', { sessionId, cause });
    return false;
  }
  used.files -= bytes;
  await clearDeleted(pass);
  await pause(stepDelayMs, signal);
  return true;
}

const refusing = new Set(['storage_failed', 'owner_lost', 'shutting_down', 'database_corrupt']);

/** The rows that deleted sessions have left behind. */
async function clearDeleted({ store, signal }: Pass): Promise<void> {
  while (!signal.aborted && (await store.commit((tx) => tx.clearDeleted(rowBatchSize)))) {
    await pause(stepDelayMs, signal);
  }
}

/** What tasks remember of agents whose sessions are gone, page by page. Gives how many. */
async function removeAgents({ store, signal }: Pass, cutoff: number): Promise<number> {
  const wanted = { before: new Date(cutoff).toISOString(), limit: rowBatchSize };
  let removed = 0;
  for (let after: DispatchPlace | undefined; !signal.aborted; ) {
    const page = await store.commit((tx) => tx.removeDispatches({ ...wanted, after }));
    removed += page.removed;
    after = page.next;
    if (!after) break;
    await pause(stepDelayMs, signal);
  }
  return removed;
}

/** Gives free pages back to the disk. */
async function shrink({ store, signal }: Pass): Promise<void> {
  while (!signal.aborted && (await store.commit((tx) => tx.shrink(shrinkBytes)))) {
    await pause(stepDelayMs, signal);
  }
}
