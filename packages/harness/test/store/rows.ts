// Rows and shorthands that the store's tests and their child processes share.
import type { DispatchRow, LogDraft, Session, Store } from '@toolyard/sdk';

export const at = '2026-11-15T12:00:00.000Z';
export const host = 'test-host';

export function sessionId(number: number): string {
  return `ses_${String(number).padStart(22, '0')}`;
}

export function toSession(number: number): Omit<Session, 'lastSeq'> {
  return {
    id: sessionId(number),
    title: 'A session',
    role: 'assistant',
    engine: 'native',
    model: 'a/b',
    mode: 'default',
    cwd: '/a',
    workspace: '/a',
    status: 'idle',
    rootSessionId: sessionId(number),
    costUsd: 0,
    createdAt: at,
    updatedAt: at,
  };
}

export function toId(prefix: string, number: number): string {
  return `${prefix}_${String(number).padStart(22, '0')}`;
}

/** An agent in session 2, drafted by session 1. */
export function toDispatch(number: number, taskSlug: string): DispatchRow {
  return {
    id: toId('agt', number),
    drafted: true,
    role: 'developer',
    taskSlug,
    status: 'queued',
    depth: 1,
    sessionId: sessionId(2),
    turnId: toId('trn', number),
    runId: toId('trn', 0),
    engine: 'native',
    rootSessionId: sessionId(1),
    model: 'a/b',
    prompt: 'a secret',
    draftedAt: at,
    startedAt: at,
    costUsd: 0,
    budgetUsd: null,
    maxDepth: 3,
    maxChildren: 5,
    ceiling: [],
  };
}

export function toDraft(session: number, text: string): LogDraft {
  return { sessionId: sessionId(session), at, type: 'text_delta', data: { text } };
}

export async function addSession(store: Store, number = 1): Promise<void> {
  await store.commit((tx) => tx.insertSession(toSession(number)));
}

export async function append(store: Store, text: string, session = 1): Promise<void> {
  await store.commit((tx) => tx.append([toDraft(session, text)]));
}

/** A session's texts in order; reading them also proves that their numbers have no gap. */
export async function readTexts(store: Store, session = 1): Promise<string[]> {
  const events = await store.reads.events(sessionId(session), 0, 1_000_000);
  return events.map((event) => (event.type === 'text_delta' ? event.data.text : event.type));
}
