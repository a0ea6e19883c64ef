// The Store port over an open writer and reader: commits in groups, tells listeners, keeps the lease alive, closes.
import type { Event, Store, StoreReads, StoreWrites } from '@toolyard/sdk';
import type { Kysely } from 'kysely';
import type { Reach } from '../core/lib/ports.ts';
import { createAgentReads, createAgentWrites } from './agent-rows/agents.ts';
import { createRunReads, createRunWrites } from './agent-rows/runs.ts';
import { createTaskReads, createTaskWrites } from './agent-rows/tasks.ts';
import { createGroupCommit, type Transaction } from './group-commit.ts';
import type { Lease } from './lease.ts';
import { type Appender, createAppender } from './rows/append.ts';
import { createApprovalReads, createApprovalWrites } from './rows/approvals.ts';
import { createAuditReads, createAuditWrites } from './rows/audit.ts';
import { createCheckpointReads, createCheckpointWrites } from './rows/checkpoints.ts';
import { createDeletedTranscriptReads, createDeletedTranscriptWrites } from './rows/deleted-transcripts.ts';
import { createEventReads } from './rows/events.ts';
import { createGrantReads, createGrantWrites } from './rows/grants.ts';
import { createRemovalReads, createRemovalWrites } from './rows/removal.ts';
import { createOldDispatchWrites, createRetentionReads, createRetentionWrites } from './rows/retention.ts';
import { createSearchReads, createSearchWrites } from './rows/search.ts';
import { createSessionReads, createSessionWrites } from './rows/sessions.ts';
import { createToolCallReads, createToolCallWrites } from './rows/tool-calls.ts';
import { createTranscriptReads, createTranscriptWrites } from './rows/transcripts.ts';
import { createTurnReads, createTurnWrites } from './rows/turns.ts';
import { createUsageReads, createUsageWrites } from './rows/usage.ts';
import type { Connection, Writer } from './sqlite/sqlite.ts';
import { closedError } from './sqlite/sqlite-errors.ts';
import type { Tables } from './sqlite/tables.ts';

export interface StoreParts {
  writer: Writer;
  reader: Connection;
  lease: Lease;
  reach: Reach;
  patienceMs: number;
  beatEveryMs: number;
}

type Listener = (events: readonly Event[], position: number) => void;

export function createSqliteStore(parts: StoreParts): Store {
  const { writer, reader, lease } = parts;
  const listeners: Listener[] = [];
  const { commit, idle } = createGroupCommit(createTransaction(parts, listeners));
  // A beat that fails is followed by another; a lost lease shows itself in every commit.
  const beat = () => commit(() => lease.beat()).catch(() => {});
  const beating = setInterval(beat, parts.beatEveryMs).unref();
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
  const { writer, lease, reach, patienceMs } = parts;
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
      await writer.begin(waitingSince + patienceMs);
      reach('commit.begun');
      try {
        await lease.verify();
      } catch (thrown) {
        rollback();
        throw thrown;
      }
    },
    lend() {
      const { proxy, revoke } = Proxy.revocable(writes, {});
      return { tx: proxy, end: revoke };
    },
    commit() {
      reach('commit.written');
      writer.commit();
    },
    rollback,
    publish() {
      reach('commit.durable');
      const { events, position } = appender.committed();
      if (events.length > 0) for (const listener of listeners) tell(() => listener(events, position));
    },
  };
}

/** What is durable stays acknowledged, whatever a listener does with the news. */
function tell(listener: () => void): void {
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
