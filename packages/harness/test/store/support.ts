// Stores on real files for the store's tests: a new directory per test, a clock that can be turned, real children.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { type Store, ToolyardError } from '@toolyard/sdk';
import { onTestFinished } from 'vitest';
import type { CrashPoint } from '../../src/core/ports.ts';
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
  const reach = (point: CrashPoint) => void reached.push(point);
  const owner = { pid: process.pid, host };
  const store = await openStore({ path, clock: clockAhead(0), owner, reach, ...options }, internals);
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

export interface Child {
  process: ChildProcess;
  pid: number;
  /** Lines it has said so far. */
  lines: string[];
  /** Its next line that nobody has taken yet, or `undefined` once it is gone. */
  next(): Promise<string | undefined>;
  tell(line: string): void;
  gone: Promise<unknown>;
}

/** A store owner in a process of its own (child.ts). It is gone when the test is. */
export function startChild(path: string, ...args: string[]): Child {
  const script = fileURLToPath(new URL('child.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=toolyard-source', script, path, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  let taken = 0;
  const next = async (): Promise<string | undefined> => {
    while (lines.length <= taken) {
      if (child.stdout.closed) return void (await gone);
      await Promise.race([once(reader, 'line'), gone]);
    }
    taken += 1;
    return lines[taken - 1];
  };
  return {
    process: child,
    pid: child.pid ?? 0,
    lines,
    next,
    tell: (line) => child.stdin.write(`${line}\n`),
    gone,
  };
}
