// Brings the log of one session up to date with its transcript. A transcript that cannot be read is a warning of the
// session, and keeps nobody from using it.
import { type Session, type Store, ToolyardError, type TranscriptRow } from '@toolyard/sdk';
import type { Logger } from '../lib/ports.ts';
import { addWarnings, type TranscriptEngine, type TranscriptImport } from './transcript-import.ts';
import type { TranscriptIndex } from './transcript-index.ts';

export interface CatchUpDeps {
  store: Store;
  logger: Logger;
  importer: TranscriptImport;
  find(engine: string): { engine: TranscriptEngine; index: TranscriptIndex } | undefined;
  /** Something was added to a session outside: what runs in its name does not know of it. */
  onAdded(sessionId: string): void;
  signal: AbortSignal;
}

export interface CatchUp {
  /**
   * Never rejects. One at a time for each session: who asks meanwhile waits for the one under way. False: the session's
   * engine keeps no transcripts.
   */
  (sessionId: string): Promise<boolean>;
  /** What is under way for a session, or for all. */
  settled(sessionId?: string): Promise<unknown>;
}

export function createCatchUp({ store, logger, importer, find, onAdded, signal }: CatchUpDeps): CatchUp {
  const underWay = new Map<string, Promise<boolean>>();

  async function read(session: Session): Promise<void> {
    const kept = find(session.engine);
    const row = kept && (await findRow(store, kept.engine, kept.index, session));
    if (!row) return;
    try {
      const added = await importer.read(kept.engine, row, signal);
      if (added > 0) onAdded(session.id);
    } catch (thrown) {
      if (thrown instanceof ToolyardError) throw thrown;
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      logger.warn('could not read a transcript', { path: row.path, reason });
      await warn(store, session.id, `Its transcript cannot be read: ${reason}`);
    }
  }

  async function catchUp(sessionId: string): Promise<boolean> {
    try {
      const session = await store.reads.session(sessionId);
      if (session && !find(session.engine)) return false;
      // What a turn of ours writes is its own; it is passed over when the turn is done.
      if (session?.status === 'idle') await read(session);
      return true;
    } catch (cause) {
      if (!signal.aborted) logger.error('could not store new events of a transcript', { cause, sessionId });
      return true;
    } finally {
      underWay.delete(sessionId);
    }
  }

  const once = (sessionId: string) => {
    const running = underWay.get(sessionId) ?? catchUp(sessionId);
    underWay.set(sessionId, running);
    return running;
  };
  const settled = (sessionId?: string) =>
    sessionId ? Promise.resolve(underWay.get(sessionId)) : Promise.allSettled(underWay.values());
  return Object.assign(once, { settled });
}

/** A session of ours may have a transcript that was not noticed yet. */
async function findRow(
  { reads }: Store,
  { transcripts }: TranscriptEngine,
  index: TranscriptIndex,
  { id, cwd, lastSeq }: Session,
): Promise<TranscriptRow | undefined> {
  const row = await reads.transcriptOf(id);
  if (row || lastSeq === 0) return row;
  const { token } = (await reads.checkpoint(id)) ?? {};
  const place = token && transcripts.placeOf(cwd, token);
  if (!place) return undefined;
  await index.scan([place]);
  return reads.transcriptOf(id);
}

async function warn(store: Store, sessionId: string, warning: string): Promise<void> {
  await store.commit(async (tx) => {
    const session = await tx.session(sessionId);
    const warnings = addWarnings(session?.warnings, [warning]);
    if (session) await tx.updateSession(sessionId, { warnings });
  });
}
