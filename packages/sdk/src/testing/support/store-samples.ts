// Rows for the store cases: plain, whole, and numbered so that a later one is newer.
import type { Session } from '../../protocol/session.ts';
import type { LogDraft, Store, Turn } from '../../store/store.ts';
import type { DispatchRow, RunRow } from '../../store/store-agents.ts';

/** An empty store for one case. */
export interface StoreWorld {
  store: Store;
  /** Closes the store and opens it again on the same data. */
  reopen(): Promise<Store>;
  /** Ends whatever is open. Safe after `store.close()`. */
  close(): Promise<void>;
}

export interface StoreCase {
  title: string;
  play(world: StoreWorld): Promise<void>;
}

export const sampleTime = '2026-11-15T12:00:00.000Z';

export function sessionId(number: number): string {
  return `ses_${String(number).padStart(22, '0')}`;
}

export function turnId(number: number): string {
  return `trn_${String(number).padStart(22, '0')}`;
}

export function sampleSession(number: number, rest: Partial<Session> = {}): Omit<Session, 'lastSeq'> {
  return {
    id: sessionId(number),
    title: `Session ${number}`,
    role: 'assistant',
    engine: 'native',
    model: 'anthropic/some-model',
    mode: 'default',
    cwd: '/home/someone/project',
    workspace: '/home/someone/project',
    status: 'idle',
    rootSessionId: sessionId(number),
    costUsd: 0,
    createdAt: sampleTime,
    updatedAt: sampleTime,
    ...rest,
  };
}

export function sampleTurn(number: number, rest: Partial<Turn> = {}): Turn {
  return {
    id: turnId(number),
    sessionId: sessionId(1),
    originTurnId: turnId(number),
    state: 'queued',
    content: `message ${number}`,
    seq: number,
    costUsd: 0,
    createdAt: sampleTime,
    ...rest,
  };
}

export function agentId(number: number): string {
  return `agt_${String(number).padStart(22, '0')}`;
}

/** Agent `number` in a session of its own, drafted by session 1 in the run of turn 1. */
export function sampleDispatch(number: number, rest: Partial<DispatchRow> = {}): DispatchRow {
  return {
    id: agentId(number),
    drafted: true,
    role: 'developer',
    taskSlug: 'checkout',
    status: 'queued',
    sessionId: sessionId(number + 1),
    turnId: turnId(number + 1),
    parentSessionId: sessionId(1),
    rootSessionId: sessionId(1),
    depth: 1,
    runId: turnId(1),
    engine: 'native',
    model: 'anthropic/some-model',
    prompt: `work ${number}`,
    draftedAt: sampleTime,
    startedAt: sampleTime,
    costUsd: 0,
    budgetUsd: null,
    maxDepth: 3,
    maxChildren: 5,
    ceiling: [
      {
        name: 'coordinator',
        category: 'conversational',
        tools: { allow: ['*'], deny: [] },
        workspace: '/work',
      },
    ],
    ...rest,
  };
}

export function sampleRun(number: number, rest: Partial<RunRow> = {}): RunRow {
  const nothing = { raised: {}, agents: 0, spentUsd: 0, tokens: 0, waitedMs: 0, lastActiveAt: sampleTime };
  return { id: turnId(number), rootSessionId: sessionId(1), startedAt: sampleTime, ...nothing, ...rest };
}

export function textDraft(session: number, text: string): LogDraft {
  return { sessionId: sessionId(session), at: sampleTime, type: 'text_delta', data: { text } };
}

/** Sessions 1 to `count`. */
export async function insertSessions(store: Store, count: number): Promise<void> {
  await store.commit(async (tx) => {
    for (let number = 1; number <= count; number += 1) await tx.insertSession(sampleSession(number));
  });
}

/** Sessions 1 to 9, a run, the tasks `checkout` and `other`, and these dispatches. */
export async function insertDispatches(store: Store, rows: readonly DispatchRow[]): Promise<void> {
  await insertSessions(store, 9);
  await store.commit(async (tx) => {
    for (const slug of ['checkout', 'other']) {
      await tx.insertTask({ slug, description: '', createdAt: sampleTime });
    }
    await tx.insertRun(sampleRun(1));
    for (const row of rows) await tx.insertDispatch(row);
  });
}

/** The session's whole log as `number: text`. */
export async function readTexts(store: Store, session: number): Promise<string[]> {
  const events = await store.reads.events(sessionId(session), 0, 100_000);
  return events.map((event) => `${event.seq}: ${event.type === 'text_delta' ? event.data.text : event.type}`);
}

/** What a promise was rejected with; throws when it was not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const settled = await promise.then(
    () => ({ kept: true as const }),
    (reason: unknown) => ({ kept: false as const, reason }),
  );
  if (settled.kept) throw new Error('a promise was kept that had to be rejected');
  return settled.reason;
}

/** Its code, when it was rejected with an error of ours. */
export async function rejectionCode(promise: Promise<unknown>): Promise<unknown> {
  const reason = await rejection(promise);
  return reason instanceof Error && 'code' in reason ? reason.code : reason;
}
