// The Store port over an open writer and reader: commits in groups, tells listeners, keeps the lease alive, closes.
import type { Event, Store, StoreReads, StoreWrites } from '@toolyard/sdk';
import type { Kysely } from 'kysely';
import type { OnCrashPoint } from '../core/lib/ports.ts';
import { createAgentReads, createAgentWrites } from './agent-queries/agents.ts';
import { createRunReads, createRunWrites } from './agent-queries/runs.ts';
import { createTaskReads, createTaskWrites } from './agent-queries/tasks.ts';
import { createGroupCommit, type Transaction } from './group-commit.ts';
import type { Lease } from './lease.ts';
import { type Appender, createAppender } from './queries/append.ts';
import { createApprovalReads, createApprovalWrites } from './queries/approvals.ts';
import { createAuditReads, createAuditWrites } from './queries/audit.ts';
import { createCheckpointReads, createCheckpointWrites } from './queries/checkpoints.ts';
import {
  createDeletedTranscriptReads,
  createDeletedTranscriptWrites,
} from './queries/deleted-transcripts.ts';
import { createEventReads } from './queries/events.ts';
import { createGrantReads, createGrantWrites } from './queries/grants.ts';
import { createRemovalReads, createRemovalWrites } from './queries/removal.ts';
import { createOldDispatchWrites, createRetentionReads, createRetentionWrites } from './queries/retention.ts';
import { createSearchReads, createSearchWrites } from './queries/search.ts';
import { createSessionReads, createSessionWrites } from './queries/sessions.ts';
import { createToolCallReads, createToolCallWrites } from './queries/tool-calls.ts';
import { createTranscriptReads, createTranscriptWrites } from './queries/transcripts.ts';
import { createTurnReads, createTurnWrites } from './queries/turns.ts';
import { createUsageReads, createUsageWrites } from './queries/usage.ts';
import type { Connection, Writer } from './sqlite/sqlite.ts';
import { closedError } from './sqlite/sqlite-errors.ts';
import type { Tables } from './sqlite/tables.ts';

export interface StoreParts {
  writer: Writer;
  reader: Connection;
  lease: Lease;
  onCrashPoint: OnCrashPoint;
  busyTimeoutMs: number;
  heartbeatIntervalMs: number;
}

type Listener = (events: readonly Event[], position: number) => void;

export function createSqliteStore(parts: StoreParts): Store {
  const { writer, reader, lease } = parts;
  const listeners: Listener[] = [];
  const { commit, idle } = createGroupCommit(createTransaction(parts, listeners));
  // A beat that fails is followed by another; a lost lease shows itself in every commit.
  const heartbeat = () => commit(() => lease.heartbeat()).catch(() => {});
  const beating = setInterval(heartbeat, parts.heartbeatIntervalMs).unref();
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    clearInterval(beating);
    // Without the release the next owner still gets in, once it sees that this process is gone.
    await commit(() => lease.release()).catch(() => {});
    await idle();
    reader.close();
    // The last connection to close moves the write-ahead log into the file.
    writer.close();
  }

  return {
    reads: createReads(reader.db),
    lastAliveAt: lease.lastAliveAt,
    commit: (write) => (closing ? Promise.reject(closedError()) : commit(write)),
    onCommitted: (listener) => {
      listeners.push(listener);
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

function createTransaction(parts: StoreParts, listeners: readonly Listener[]): Transaction<StoreWrites> {
  const { writer, lease, onCrashPoint, busyTimeoutMs } = parts;
  const appender = createAppender(writer.db);
  const writes = { ...createWrites(writer.db, appender), ...createRetentionWrites(writer) };
  const rollback = () => {
    appender.forget();
    try {
      writer.rollback();
    } catch {
      // The next `begin` rolls back first, and says so if the cause is still there.
    }
  };
  return {
    async begin(waitingSince) {
      await writer.begin(waitingSince + busyTimeoutMs);
      onCrashPoint('commit.begun');
      try {
        await lease.verify();
      } catch (thrown) {
        rollback();
        throw thrown;
      }
    },
    borrow() {
      const { proxy, revoke } = Proxy.revocable(writes, {});
      return { tx: proxy, end: revoke };
    },
    commit() {
      onCrashPoint('commit.written');
      writer.commit();
    },
    rollback,
    publish() {
      onCrashPoint('commit.durable');
      const { events, position } = appender.committed();
      if (events.length > 0) for (const listener of listeners) callListener(() => listener(events, position));
    },
  };
}

/** What is durable stays acknowledged, whatever a listener does with the news. */
function callListener(listener: () => void): void {
  try {
    listener();
  } catch (thrown) {
    process.emitWarning(thrown instanceof Error ? thrown : String(thrown));
  }
}

function createReads(db: Kysely<Tables>): StoreReads {
  return {
    ...createSessionReads(db),
    ...createRemovalReads(db),
    ...createEventReads(db),
    ...createTurnReads(db),
    ...createToolCallReads(db),
    ...createCheckpointReads(db),
    ...createTranscriptReads(db),
    ...createDeletedTranscriptReads(db),
    ...createApprovalReads(db),
    ...createGrantReads(db),
    ...createAuditReads(db),
    ...createUsageReads(db),
    ...createAgentReads(db),
    ...createTaskReads(db),
    ...createRunReads(db),
    ...createRetentionReads(db),
    ...createSearchReads(db),
  };
}

function createWrites(db: Kysely<Tables>, appender: Appender): Omit<StoreWrites, 'shrink'> {
  const removal = createRemovalWrites(db);
  return {
    ...createReads(db),
    append: appender.append,
    ...createSessionWrites(db),
    ...removal,
    deleteSession: (id) => {
      appender.drop(id);
      return removal.deleteSession(id);
    },
    ...createTurnWrites(db),
    ...createToolCallWrites(db),
    ...createCheckpointWrites(db),
    ...createTranscriptWrites(db),
    ...createDeletedTranscriptWrites(db),
    ...createApprovalWrites(db),
    ...createGrantWrites(db),
    ...createAuditWrites(db),
    ...createUsageWrites(db),
    ...createAgentWrites(db),
    ...createOldDispatchWrites(db),
    ...createTaskWrites(db),
    ...createRunWrites(db),
    ...createSearchWrites(db),
  };
}
