// Brings what was added to a transcript outside into our log: piece by piece, each in one commit with the place it ends
// at, so that a crash in the middle neither loses nor doubles anything.
import type { Engine, Store, StoreWrites, TranscriptPiece, TranscriptRow, Transcripts } from '@toolyard/sdk';
import type { NewId } from '../lib/ids.ts';
import type { Log } from '../log/log.ts';
import { type TranscriptPlan, toPlan } from './transcript-plan.ts';

/** Of all a transcript may have; the log has each. */
const maxWarnings = 20;

interface ImportDeps {
  store: Store;
  log: Log;
  newId: NewId;
}

export interface TranscriptEngine extends Engine {
  readonly transcripts: Transcripts;
}

export type TranscriptImport = ReturnType<typeof createTranscriptImport>;

export function createTranscriptImport({ store: { reads }, log, newId }: ImportDeps) {
  /** Also says how much it added to the log: what only passes over our own turns adds nothing. */
  async function store(
    row: TranscriptRow,
    piece: TranscriptPiece,
  ): Promise<{ row: TranscriptRow; added: number }> {
    const { path, openTurnId } = row;
    const plan = toPlan(piece.facts, { path, openTurnId, newTurnId: () => newId('trn') });
    const next = toNext(row, piece, plan);
    // Where nothing is new, nobody need wait: what is not stored is passed over once more.
    if (plan.drafts.length === 0 && piece.state === undefined)
      void log.defer((tx) => putCursor(tx, next), row.sessionId);
    else {
      await log.commit(row.sessionId, async (tx) => {
        await storePlan(tx, row.sessionId, plan);
        await putCursor(tx, next);
        const { sessionId, token } = row;
        if (piece.state !== undefined) {
          await tx.saveCheckpoint({ sessionId, originTurnId: sessionId }, { token, state: piece.state });
        }
      });
    }
    return { row: next, added: plan.drafts.length };
  }

  return {
    /** Says how many events were new. */
    async read(engine: TranscriptEngine, from: TranscriptRow, signal: AbortSignal): Promise<number> {
      const { token, path, sessionId, cursor } = from;
      let row = from;
      let count = 0;
      const { state } = (await reads.checkpoint(sessionId)) ?? {};
      const reading = { token, path, sessionId, cursor, state, signal };
      for await (const piece of engine.transcripts.read(reading)) {
        if (signal.aborted) break;
        const stored = await store(row, piece);
        row = stored.row;
        count += stored.added;
      }
      return count;
    },

    /** Nothing more is expected of a turn that somebody began elsewhere. */
    async endOpenTurn(row: TranscriptRow, at: string): Promise<void> {
      if (row.openTurnId === undefined) return;
      await store(row, { facts: [{ kind: 'end', at, outcome: 'interrupted' }], cursor: row.cursor });
    },
  };
}

function toNext(row: TranscriptRow, { cursor }: TranscriptPiece, plan: TranscriptPlan): TranscriptRow {
  const { openTurnId: _, ...rest } = row;
  return { ...rest, cursor, ...(plan.openTurnId && { openTurnId: plan.openTurnId }) };
}

/** Path, size and time are the index's to say; and a session that is gone has no transcript. */
async function putCursor(tx: StoreWrites, next: TranscriptRow): Promise<void> {
  const found = await tx.transcript(next.engine, next.token);
  if (found?.sessionId !== next.sessionId) return;
  const { path, size, modifiedAt, title } = found;
  await tx.putTranscript({ ...next, path, size, modifiedAt, title });
}

async function storePlan(tx: StoreWrites, sessionId: string, plan: TranscriptPlan): Promise<void> {
  if (plan.drafts.length === 0) return;
  const events = await tx.append(plan.drafts.map((draft) => ({ ...draft, sessionId })));
  const seqs = new Map(events.map((event) => [turnOf(event), event.seq]));
  for (const { id, content, at } of plan.begun) {
    // Until its end is read. It is nothing that a restart would have to see to.
    const turn = { id, sessionId, originTurnId: id, state: 'interrupted' as const, content, costUsd: null };
    await tx.insertTurn({ ...turn, seq: seqs.get(id) ?? 0, createdAt: at, startedAt: at });
  }
  for (const { id, outcome, error, at } of plan.ended) {
    await tx.updateTurn(id, { state: outcome, endedAt: at, ...(error && { error }) });
  }
  const session = await tx.session(sessionId);
  const lastAt = plan.drafts.at(-1)?.at ?? '';
  if (!session) return;
  await tx.updateSession(sessionId, {
    ...(lastAt > session.updatedAt && { updatedAt: lastAt }),
    ...(plan.warnings.length > 0 && { warnings: addWarnings(session.warnings, plan.warnings) }),
  });
}

/** The turn whose message this is. */
function turnOf(event: { type: string; data: unknown }): string | undefined {
  const { data } = event;
  const isMessage = event.type === 'user_message' && typeof data === 'object' && data !== null;
  return isMessage && 'turnId' in data ? String(data.turnId) : undefined;
}

export function addWarnings(before: readonly string[] = [], more: readonly string[]): string[] {
  const all = [...new Set([...before.filter((warning) => warning !== andMore), ...more])];
  return all.length > maxWarnings ? [...all.slice(0, maxWarnings), andMore] : all;
}

const andMore = 'There is more of it; the log says where.';
