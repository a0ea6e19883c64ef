// Stores on real files for the store's tests: a new directory per test, a clock that can be turned, raw access.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { LogDraft, Session, Store } from '@toolyard/sdk';
import { onTestFinished } from 'vitest';
import type { CrashPoint } from '../../src/core/ports.ts';
import { openStore, type StoreInternals, type StoreOptions } from '../../src/store/open.ts';

export const at = '2026-11-15T12:00:00.000Z';
export const host = 'test-host';
/** Never the number of a process that lives: the kernel counts up to 2^22. */
export const deadPid = 2 ** 22 + 1;

export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'toolyard-store-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export function newPath(): string {
  return join(newDirectory(), 'toolyard.db');
}

export interface TestStore {
  store: Store;
  /** Crash points reached so far. */
  reached: CrashPoint[];
  /** Milliseconds added to the real time. */
  clock: { ahead: number; now(): number };
}

export async function openTestStore(
  path: string,
  options: Partial<StoreOptions> = {},
  internals: Partial<StoreInternals> = {},
): Promise<TestStore> {
  const reached: CrashPoint[] = [];
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  const owner = { pid: process.pid, host };
  const reach = (point: CrashPoint) => void reached.push(point);
  const store = await openStore({ path, clock, owner, reach, ...options }, internals);
  onTestFinished(() => store.close());
  return { store, reached, clock };
}

/** Another program's connection to the same file. */
export function openRaw(path: string): DatabaseSync {
  const raw = new DatabaseSync(path);
  onTestFinished(() => {
    if (raw.isOpen) raw.close();
  });
  return raw;
}

export function sessionId(number: number): string {
  return `ses_${String(number).padStart(22, '0')}`;
}

export function toSession(number: number): Omit<Session, 'lastSeq'> {
  return {
    id: sessionId(number),
    ...{ title: 'A session', role: 'assistant', engine: 'native', model: 'a/b', mode: 'default' },
    ...{ cwd: '/a', workspace: '/a', status: 'idle', rootSessionId: sessionId(number), costUsd: 0 },
    ...{ createdAt: at, updatedAt: at },
  };
}

export function toDraft(session: number, text: string): LogDraft {
  return { sessionId: sessionId(session), at, type: 'text_delta', data: { text } };
}

export async function addSession(store: Store, number = 1): Promise<void> {
  await store.commit((tx) => tx.insertSession(toSession(number)));
}

export function append(store: Store, text: string, session = 1): Promise<unknown> {
  return store.commit((tx) => tx.append([toDraft(session, text)]));
}

export async function readTexts(store: Store, session = 1): Promise<string[]> {
  const events = await store.reads.events(sessionId(session), 0, 100_000);
  return events.map((event) => `${event.seq}: ${event.type === 'text_delta' ? event.data.text : event.type}`);
}
