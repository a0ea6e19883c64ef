// Slots: the right of an agent to have its model at work. There are as many as the configuration says, given fairly over
// runs. Whoever waits for a person or for another agent gives theirs back and takes one again before it goes on, so that
// even one slot is enough for a whole tree.

export interface SlotsDeps {
  concurrency(): number;
}

interface Waiter {
  take(): void;
}

interface Held {
  runId: string;
  isHeld: boolean;
  /** How many of its calls wait for somebody. */
  waits: number;
  signal: AbortSignal;
  /** While it waits to have its slot back. */
  retaking?: Promise<void> | undefined;
}

export type Slots = ReturnType<typeof createSlots>;

export function createSlots({ concurrency }: SlotsDeps) {
  /** Those that have begun go on before others begin. */
  const returning: Waiter[] = [];
  /** By run, in the order in which the next slot is theirs. */
  const starting = new Map<string, Waiter[]>();
  const sessions = new Map<string, Held>();
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

  function serve(): void {
    while (taken < concurrency()) {
      const waiter = next();
      if (!waiter) return;
      taken++;
      waiter.take();
    }
  }

  /** Says whether there is one now; an abort ends the wait without. */
  async function wait(line: Waiter[], signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter = { take: () => resolve(true) };
    line.push(waiter);
    const leave = () => {
      const place = line.indexOf(waiter);
      if (place < 0) return;
      line.splice(place, 1);
      resolve(false);
    };
    signal.addEventListener('abort', leave, { once: true });
    serve();
    return promise.finally(() => signal.removeEventListener('abort', leave));
  }

  function lineOf(runId: string): Waiter[] {
    const line = starting.get(runId) ?? [];
    starting.set(runId, line);
    return line;
  }

  function giveBack(held: Held): void {
    if (!held.isHeld) return;
    held.isHeld = false;
    taken--;
    serve();
  }

  async function retake(sessionId: string, held: Held): Promise<void> {
    held.isHeld = await wait(returning, held.signal);
    held.retaking = undefined;
    // Meanwhile its turn has ended, or another of its calls has begun to wait.
    if (held.waits > 0 || sessions.get(sessionId) !== held) giveBack(held);
  }

  return {
    /** Waits for a slot. Says whether the session has one; it has none when `signal` came first. */
    async enter(sessionId: string, runId: string, signal: AbortSignal): Promise<boolean> {
      const isHeld = await wait(lineOf(runId), signal);
      if (isHeld) sessions.set(sessionId, { runId, isHeld, waits: 0, signal });
      return isHeld;
    },

    leave(sessionId: string): void {
      const held = sessions.get(sessionId);
      sessions.delete(sessionId);
      if (held) giveBack(held);
    },

    /** Does `work`, which is nothing but waiting, without a slot. */
    async without<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
      const held = sessions.get(sessionId);
      if (!held) return work();
      held.waits++;
      giveBack(held);
      try {
        return await work();
      } finally {
        held.waits--;
        // A model goes on only when all of its calls have come back.
        if (held.waits === 0 && sessions.get(sessionId) === held && !held.isHeld) {
          held.retaking ??= retake(sessionId, held);
          await held.retaking;
        }
      }
    },

    /** There may be more of them now. */
    serve,
    counts: () => ({ taken, starting: [...starting.values()].flat().length, returning: returning.length }),
  };
}
