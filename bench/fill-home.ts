// Writes a home as a long use would leave it: many sessions with their events, through the real store.
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { LogDraft, Session } from '@toolyard/sdk';
import { createIds } from '../packages/harness/src/core/lib/ids.ts';
import { openStore } from '../packages/harness/src/store/open.ts';

const clock = { now: () => Date.now() };
const at = '2026-01-01T00:00:00.000Z';

/** Opens the store of a home the way a server does. */
export function openHomeStore(home: string) {
  return openStore({ path: join(home, 'toolyard.db'), clock, owner: { pid: process.pid, host: hostname() } });
}

export async function fillHome(home: string, wanted: { sessions: number; events: number }): Promise<void> {
  const store = await openHomeStore(home);
  const each = Math.ceil(wanted.events / wanted.sessions);
  for (let made = 0; made < wanted.sessions; made++) {
    const session = newSession();
    await store.commit(async (tx) => {
      await tx.insertSession(session);
      await tx.append(Array.from({ length: each }, () => newEvent(session.id)));
    });
  }
  await store.close();
}

const newId = createIds(clock);

export function newSession(): Omit<Session, 'lastSeq'> {
  const id = newId('ses');
  return {
    id,
    title: 'A session',
    role: 'assistant',
    engine: 'native',
    model: 'anthropic/claude-sonnet-5',
    mode: 'default',
    cwd: '/',
    workspace: '/',
    status: 'idle',
    rootSessionId: id,
    costUsd: 0,
    createdAt: at,
    updatedAt: at,
  };
}

export function newEvent(sessionId: string): LogDraft {
  return { sessionId, at, type: 'text_delta', data: { text: 'Forty characters are one piece of this. ' } };
}
