// Slots: the right of an agent to have its model at work. There are as many as the configuration says, given fairly over
// runs. Whoever waits for a person or for another agent gives theirs back and takes one again before it goes on, so that
// even one slot is enough for a whole tree.

export interface SlotsDeps {
  concurrency(): number;
}

interface Waiter {
  take(): void;
}

interface SlotState {
  runId: string;
  isHeld: boolean;
  /** How many of its calls wait for somebody. */
  waits: number;
  signal: AbortSignal;
  /** While it waits to have its slot back. */
  reacquiring?: Promise<void> | undefined;
}

export type Slots = ReturnType<typeof createSlots>;

export function createSlots({ concurrency }: SlotsDeps) {
  /** Those that have begun go on before others begin. */
  const returning: Waiter[] = [];
  /** By run, in the order in which the next slot is theirs. */
  const starting = new Map<string, Waiter[]>();
  const sessions = new Map<string, SlotState>();
  let taken = 0;

  function next(): Waiter | undefined {
    const first = returning.shift();
    if (first) return first;
    for (const [runId, waiters] of starting) {
      const waiter = waiters.shift();
      // Its run goes to the end of the line.
      starting.delete(runId);
      if (waiters.length > 0) starting.set(runId, waiters);
      if (waiter) return waiter;
    }
    return undefined;
  }

  function assignSlots(): void {
    while (taken < concurrency()) {
      const waiter = next();
      if (!waiter) return;
      taken++;
      waiter.take();
    }
  }

  /** Says whether there is one now; an abort ends the wait without. */
  async function wait(queue: Waiter[], signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter = { take: () => resolve(true) };
    queue.push(waiter);
    const onAbort = () => {
      const place = queue.indexOf(waiter);
      if (place < 0) return;
      queue.splice(place, 1);
      resolve(false);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    assignSlots();
    return promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  function queueOf(runId: string): Waiter[] {
    const queue = starting.get(runId) ?? [];
    starting.set(runId, queue);
    return queue;
  }

  function releaseSlot(state: SlotState): void {
    if (!state.isHeld) return;
    state.isHeld = false;
    taken--;
    assignSlots();
  }

  async function reacquire(sessionId: string, state: SlotState): Promise<void> {
    state.isHeld = await wait(returning, state.signal);
    state.reacquiring = undefined;
    // Meanwhile its turn has ended, or another of its calls has begun to wait.
    if (state.waits > 0 || sessions.get(sessionId) !== state) releaseSlot(state);
  }

  return {
    /** Waits for a slot. Says whether the session has one; it has none when `signal` came first. */
    async acquire(sessionId: string, runId: string, signal: AbortSignal): Promise<boolean> {
      const isHeld = await wait(queueOf(runId), signal);
      if (isHeld) sessions.set(sessionId, { runId, isHeld, waits: 0, signal });
      return isHeld;
    },

    release(sessionId: string): void {
      const state = sessions.get(sessionId);
      sessions.delete(sessionId);
      if (state) releaseSlot(state);
    },

    /** Does `work`, which is nothing but waiting, without a slot. */
    async runWithoutSlot<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
      const state = sessions.get(sessionId);
      if (!state) return work();
      state.waits++;
      releaseSlot(state);
      try {
        return await work();
      } finally {
        state.waits--;
        // A model goes on only when all of its calls have come back.
        if (state.waits === 0 && sessions.get(sessionId) === state && !state.isHeld) {
          state.reacquiring ??= reacquire(sessionId, state);
          await state.reacquiring;
        }
      }
    },

    /** There may be more of them now. */
    assignSlots,
    counts: () => ({ taken, starting: [...starting.values()].flat().length, returning: returning.length }),
  };
}
