// Stores on real files for the store's tests: a new directory per test, a clock that can be turned.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Store, ToolyardError } from '@toolyard/sdk';
import { onTestFinished } from 'vitest';
import type { CrashPoint } from '../../src/core/lib/ports.ts';
import { openStore, type StoreInternals, type StoreOptions } from '../../src/store/open.ts';
import { host } from './rows.ts';

export function newPath(): string {
  const directory = mkdtempSync(join(tmpdir(), 'toolyard-store-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  return join(directory, 'toolyard.db');
}

export interface TestStore {
  store: Store;
  /** Crash points reached so far. */
  reached: CrashPoint[];
}

export async function openTestStore(
  path: string,
  options: Partial<StoreOptions> = {},
  internals: Partial<StoreInternals> = {},
): Promise<TestStore> {
  const reached: CrashPoint[] = [];
  const onCrashPoint = (point: CrashPoint) => void reached.push(point);
  const owner = { pid: process.pid, host };
  const store = await openStore({ path, clock: clockAhead(0), owner, onCrashPoint, ...options }, internals);
  onTestFinished(() => store.close());
  return { store, reached };
}

export function clockAhead(ms: number) {
  return { now: () => Date.now() + ms };
}

/** Another program's connection to the same file. */
export function openRaw(path: string): DatabaseSync {
  const raw = new DatabaseSync(path);
  onTestFinished(() => {
    if (raw.isOpen) raw.close();
  });
  return raw;
}

/** What a promise was rejected with; anything but an error of ours fails the test. */
export async function refusal(promise: Promise<unknown>): Promise<ToolyardError> {
  const thrown = await promise.then(
    () => new Error('nothing was refused'),
    (reason: unknown) => reason,
  );
  if (thrown instanceof ToolyardError) return thrown;
  throw thrown;
}
