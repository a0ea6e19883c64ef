// A store whose disk can be made to fail: writes are done and then lost, as when the disk fills up at the last moment.
import { type Store, ToolyardError } from '@toolyard/sdk';

export interface FaultyDisk {
  wrapStore(store: Store): Store;
  /** From now on every commit fails, `afterMs` after it was asked for. */
  fail(fault?: { reason?: string; afterMs?: number }): void;
  /** The next `count` commits fail, each `afterMs` after it was asked for; those behind them do not. */
  failNext(count: number, afterMs: number): void;
  /** From now on nothing can be read either. */
  failReads(): void;
  heal(): void;
  /** Commits that failed so far. */
  failures(): number;
  /** Reads that failed so far. */
  failedReads(): number;
}

export function createFaultyDisk(): FaultyDisk {
  let fault: { reason: string; afterMs: number } | undefined;
  let left = 0;
  let failures = 0;
  let failedReads = 0;
  let isUnreadable = false;
  const toError = (reason: string) =>
    new ToolyardError('storage_failed', 'The disk failed.', { data: { reason } });

  function takeFault() {
    if (!fault || left === 0) return undefined;
    left -= 1;
    failures += 1;
    return fault;
  }

  function failRead(): Promise<never> {
    failedReads += 1;
    return Promise.reject(toError('disk_error'));
  }

  return {
    wrapStore: (store) => ({
      ...store,
      reads: new Proxy(store.reads, {
        get: (reads, name, self) => (isUnreadable ? failRead : Reflect.get(reads, name, self)),
      }),
      async commit(write) {
        const taken = takeFault();
        if (!taken) return store.commit(write);
        return store.commit(async (tx) => {
          await write(tx);
          if (taken.afterMs > 0) await new Promise((resolve) => setTimeout(resolve, taken.afterMs));
          throw toError(taken.reason);
        });
      },
    }),
    fail({ reason = 'disk_full', afterMs = 0 } = {}) {
      fault = { reason, afterMs };
      left = Number.POSITIVE_INFINITY;
    },
    failNext(count, afterMs) {
      fault = { reason: 'disk_error', afterMs };
      left = count;
    },
    failReads() {
      isUnreadable = true;
    },
    heal() {
      isUnreadable = false;
      fault = undefined;
    },
    failures: () => failures,
    failedReads: () => failedReads,
  };
}
