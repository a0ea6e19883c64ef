// Shares one durable transaction, and so one fsync, between the writes that are waiting. Knows nothing of SQLite.

/** The one transaction that can be open at a time. */
export interface Transaction<Tx> {
  /** Opens it. What fails here fails for everybody waiting. `waitingSince` is of `performance.now()`. */
  begin(waitingSince: number): Promise<void>;
  /** A view for one write; `end` makes it useless. */
  borrow(): { tx: Tx; end(): void };
  /** On disk when it returns. */
  commit(): void;
  /** Must not throw. */
  rollback(): void;
  /** Tells the world, after `commit` and before anyone's promise resolves. Must not throw. */
  publish(): void;
}

export interface GroupCommit<Tx> {
  commit<T>(write: (tx: Tx) => Promise<T>): Promise<T>;
  /** Resolves when nothing is waiting or under way. */
  idle(): Promise<void>;
}

interface Job<Tx> {
  /** Runs the write and gives what resolves its promise. */
  run(tx: Tx): Promise<() => void>;
  reject(reason: unknown): void;
  since: number;
}

const maxBatchSize = 256;

export function createGroupCommit<Tx>(transaction: Transaction<Tx>): GroupCommit<Tx> {
  const waiting: Job<Tx>[] = [];
  let draining: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      // All that this round brings shares the transaction, and nothing else starves.
      await nextEventLoopTurn();
      await runBatch(transaction, waiting.splice(0, maxBatchSize));
    }
    draining = undefined;
  }

  return {
    commit: (write) =>
      new Promise((resolve, reject) => {
        const run = async (tx: Tx) => {
          const value = await write(tx);
          return () => resolve(value);
        };
        waiting.push({ run, reject, since: performance.now() });
        draining ??= drain();
      }),
    idle: async () => {
      await draining;
    },
  };
}

async function runBatch<Tx>(transaction: Transaction<Tx>, jobs: readonly Job<Tx>[]): Promise<void> {
  const [first] = jobs;
  if (!first) return;
  try {
    await transaction.begin(first.since);
  } catch (thrown) {
    for (const job of jobs) job.reject(thrown);
    return;
  }
  const resolves: (() => void)[] = [];
  try {
    for (const job of jobs) resolves.push(await runJob(transaction, job));
    transaction.commit();
  } catch (thrown) {
    transaction.rollback();
    if (jobs.length === 1) return first.reject(thrown);
    // Nobody may suffer for a neighbour: the one that failed runs again alone, the others without it.
    for (const part of retrySeparately(jobs, resolves.length)) {
      await runBatch(transaction, part);
      // Whoever was rejected hears of it before a later write runs again.
      await nextEventLoopTurn();
    }
    return;
  }
  transaction.publish();
  for (const resolve of resolves) resolve();
}

/** In the order of the calls. When the commit itself failed, nobody is known to be at fault: halves find out. */
function retrySeparately<T>(jobs: readonly T[], failed: number): T[][] {
  if (failed < jobs.length) {
    return [jobs.slice(0, failed), jobs.slice(failed, failed + 1), jobs.slice(failed + 1)];
  }
  const middle = Math.ceil(jobs.length / 2);
  return [jobs.slice(0, middle), jobs.slice(middle)];
}

async function runJob<Tx>(transaction: Transaction<Tx>, job: Job<Tx>): Promise<() => void> {
  const { tx, end } = transaction.borrow();
  try {
    return await job.run(tx);
  } finally {
    end();
  }
}

function nextEventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
