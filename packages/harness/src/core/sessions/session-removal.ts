// Deleting a session: first all that works in it stops, then one commit deletes it, then what lies beside the database
// is cleared away. A kill before the commit leaves all of it, one after it leaves nothing that anybody could read.
import {
  type Actor,
  pause,
  type Session,
  type Store,
  type StoreWrites,
  type UntouchedSession,
  untilAborted,
} from '@toolyard/sdk';
import { system } from '../approvals/decisions.ts';
import { ofAgent, toChangeEntry } from '../audit/audit-changes.ts';
import type { Outputs } from '../calls/output.ts';
import type { Clock, Logger, OnCrashPoint } from '../lib/ports.ts';
import type { Log } from '../log/log.ts';
import type { Traces } from '../operator-log/traces.ts';
import { refuseUnknown } from '../session-records/session-records.ts';
import type { TranscriptSync } from '../transcripts/transcripts.ts';
import type { DirectCalls } from '../turns/direct-calls.ts';
import type { EngineSessions } from '../turns/engine-sessions.ts';
import type { TurnQueue } from '../turns/turn-queue.ts';

/** Rows that are cleared away in one commit: few enough that nobody notices. */
const rowBatchSize = 500;
const batchDelayMs = 5;
const retryDelayMs = 1_000;

export interface SessionRemovalDeps {
  store: Store;
  log: Log;
  clock: Clock;
  logger: Logger;
  onCrashPoint: OnCrashPoint;
  turns: Pick<TurnQueue, 'halt' | 'release'>;
  directCalls: Pick<DirectCalls, 'stopIn'>;
  engineSessions: EngineSessions;
  transcripts: TranscriptSync;
  outputs: Outputs;
  traces: Traces;
  /** Ends all that was drafted under a session, and names the sessions that worked there. */
  endDescendants(sessionId: string): Promise<string[]>;
}

export type SessionRemoval = ReturnType<typeof createSessionRemoval>;

export function createSessionRemoval(deps: SessionRemovalDeps) {
  const { store, log, clock, logger, turns, directCalls, engineSessions, outputs, traces } = deps;
  const closing = new AbortController();
  let clearing: Promise<void> | undefined;
  let isMore = false;

  async function stopAll(id: string): Promise<void> {
    await turns.halt(id);
    await Promise.all([directCalls.stopIn(id), engineSessions.remove(id), deps.transcripts.settled(id)]);
  }

  async function remove(id: string, by: Actor, canDelete: CanDelete = async () => true): Promise<void> {
    const at = new Date(clock.now()).toISOString();
    await log.remove(id, async (tx, append) => {
      const session = (await tx.session(id)) ?? refuseUnknown(id);
      if (!(await canDelete(tx, session))) throw touched;
      await append({ type: 'session_status', data: { status: 'closed', deleted: true } });
      await keepTombstones(tx, session, at);
      await tx.deleteSession(id);
      const deleted = { change: 'session_deleted', sessionId: id, subject: id } as const;
      await tx.appendAudit(toChangeEntry(clock, by, { ...deleted, ...ofAgent(session) }));
    });
    deps.onCrashPoint('session.deleted');
  }

  /** What is too much for one commit, in many. */
  async function clear(): Promise<void> {
    while (isMore && !closing.signal.aborted) {
      try {
        isMore = await store.commit((tx) => tx.clearDeleted(rowBatchSize));
        await pause(batchDelayMs, closing.signal);
      } catch (cause) {
        if (closing.signal.aborted) return;
        logger.warn('could not clean up deleted sessions yet', { cause });
        await pause(retryDelayMs, closing.signal);
      }
    }
  }

  function clearSoon(): void {
    isMore = true;
    clearing ??= clear().finally(() => {
      clearing = undefined;
      if (isMore && !closing.signal.aborted) clearSoon();
    });
  }

  async function deleteOne(id: string, by: Actor): Promise<void> {
    try {
      await stopAll(id);
      await remove(id, by);
    } finally {
      turns.release(id);
    }
    clearSoon();
    await removeFiles(id);
  }

  async function removeFiles(id: string): Promise<void> {
    await Promise.all([outputs.remove(id), traces.remove(id)]).catch((cause: unknown) =>
      logger.warn('could not remove the files of a deleted session yet', { cause, sessionId: id }),
    );
  }

  return {
    /** Interrupts what is under way in it. When it resolves, the session is gone for everybody. Throws when there is none. */
    async delete(id: string, by: Actor): Promise<void> {
      if (!(await store.reads.session(id))) refuseUnknown(id);
      await deps.endDescendants(id);
      await deleteOne(id, by);
      // Those that it drafted while it was being stopped are among them.
      for (const under of await deps.endDescendants(id))
        if (await store.reads.session(under)) await deleteOne(under, by);
    },

    /** For retention: only if nothing is under way in it and nobody touched it since. Says whether it is gone. */
    async deleteUntouched({ id, updatedAt }: UntouchedSession): Promise<boolean> {
      try {
        // Whatever works in a session has a row that says so, and the commit asks for it.
        await remove(id, byRetention, (tx, session) => isUntouched(tx, session, updatedAt));
      } catch (thrown) {
        if (thrown === touched) return false;
        throw thrown;
      }
      clearSoon();
      await engineSessions.remove(id);
      await removeFiles(id);
      return true;
    },

    /** After a start: what a kill has left of deleted sessions. */
    async recover(): Promise<void> {
      if (await store.reads.hasDeleted()) clearSoon();
      const isThere = async (id: string) =>
        closing.signal.aborted || (await store.reads.session(id)) !== undefined;
      outputs
        .sweep(isThere)
        .catch((cause: unknown) => logger.warn('could not clean up old outputs', { cause }));
    },

    /** Resolves when nothing is left of deleted sessions, or `signal` aborts. */
    async cleared(signal: AbortSignal): Promise<void> {
      while (clearing && !signal.aborted) await untilAborted(clearing, signal);
    },

    async close(): Promise<void> {
      closing.abort('closed');
      await clearing;
    },
  };
}

const byRetention: Actor = { ...system, via: 'retention' };

type CanDelete = (tx: StoreWrites, session: Session) => Promise<boolean>;

const touched = new Error('The session was touched.');

async function isUntouched(tx: StoreWrites, session: Session, since: string): Promise<boolean> {
  const { id, status, updatedAt } = session;
  if (updatedAt !== since || (status !== 'idle' && status !== 'closed')) return false;
  const { approvals, questions } = await tx.countPending(id);
  const isAtWork = (await tx.openTurns(id)).length > 0;
  // What it has drafted may still be at work, and its run goes with it.
  const live = await tx.countDispatches({ rootSessionId: id, live: true });
  return approvals === 0 && questions === 0 && !isAtWork && live === 0;
}

/** Files that an engine's own program keeps are its owner's; they are known as deleted and not listed again. */
async function keepTombstones(tx: StoreWrites, { id, engine }: Session, deletedAt: string): Promise<void> {
  const { token } = (await tx.checkpoint(id)) ?? {};
  const rows = await tx.transcriptsOf(id);
  if (token !== undefined && !rows.some((row) => row.engine === engine && row.token === token)) {
    await tx.putDeletedTranscript({ engine, token, path: '', size: 0, modifiedAt: 0, deletedAt });
  }
  for (const { path, size, modifiedAt, ...row } of rows) {
    const known = { engine: row.engine, token: row.token };
    await tx.putDeletedTranscript({ ...known, path, size, modifiedAt, deletedAt });
  }
}
