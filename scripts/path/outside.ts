// Where our code touches what is not ours: a statement to the database, a file, bytes to a socket, a request to a model,
// and a promise that somebody else waits for. `mark` is called before each, by whoever gets there.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Recorder } from './call-stacks.ts';

type Mark = Recorder['mark'];

/** Changes this process for good. */
export function watchOutside(mark: Mark): void {
  for (const name of ['run', 'get', 'all', 'iterate']) watch(StatementSync.prototype, name, mark);
  watch(DatabaseSync.prototype, 'exec', mark);
  watch(Socket.prototype, 'write', mark);
  watch(globalThis, 'fetch', mark);
  for (const files of [fs, fs.promises])
    for (const [name, value] of Object.entries(files))
      if (typeof value === 'function' && /^[a-z]/.test(name)) watch(files, name, mark);
  syncBuiltinESMExports();
  watchPromises(mark);
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

function watch(owner: object, name: string, mark: Mark): void {
  const original: Method = Reflect.get(owner, name);
  const value = new Proxy(original, {
    apply(target, self, args) {
      mark(args.filter((arg) => typeof arg === 'string').join(' '));
      return Reflect.apply(target, self, args);
    },
  });
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
}

type Resolve = (value: unknown) => void;
type Executor = (resolve: Resolve, reject: (reason?: unknown) => void) => void;

/** Those that are made and resolved by hand. What an async function gives back is an ordinary return. */
function watchPromises(mark: Mark): void {
  const watched =
    (resolve: Resolve): Resolve =>
    (value) => {
      mark();
      resolve(value);
    };
  globalThis.Promise = new Proxy(Promise, {
    construct(target, [executor]: [Executor], made) {
      const run: Executor = (resolve, reject) => executor(watched(resolve), reject);
      return Reflect.construct(target, [run], made === globalThis.Promise ? target : made);
    },
    get(target, name) {
      if (name === 'withResolvers') return () => watchResolvers(target.withResolvers<unknown>());
      const value: unknown = Reflect.get(target, name);
      const isStatic = typeof value === 'function' && typeof name === 'string' && name !== 'prototype';
      return isStatic ? value.bind(target) : value;
    },
  });

  function watchResolvers({ promise, resolve, reject }: PromiseWithResolvers<unknown>) {
    return { promise, resolve: watched(resolve), reject };
  }
}
