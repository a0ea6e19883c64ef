// One log as it arrives over a socket: kept in order and without doubles across breaks, and never more than its reader
// can take.
import type { ToolyardError } from '../protocol/error.ts';
import type { PlacedEvent } from '../protocol/event.ts';
import type { Ref } from '../protocol/socket.ts';

/** Events that wait for their reader. Beyond them the subscription pauses, and goes on when they are read. */
const maxBuffered = 1_000;

export interface SubscriptionOptions<T> {
  after: number | undefined;
  /** What its reader gets to see. */
  select(placed: PlacedEvent): T;
  /** Does nothing come after it? Then it is the last one that its reader gets. */
  isLast(placed: PlacedEvent): boolean;
  /** Asks the server for what comes past `after`, if the line is open. Gives its name for the request. */
  ask(after: number | undefined): Ref | undefined;
  /** Tells the server to stop. */
  leave(): void;
  /** From here on events are heard; called again after each break. */
  onAcknowledged?: (() => void) | undefined;
  /** The reader is gone. */
  onClosed(): void;
  signal: AbortSignal | undefined;
}

/** What the socket tells a subscription. */
export interface Subscription {
  /** The line is open: asks, and from the acknowledgement on events count. */
  begin(): void;
  acknowledged(ref: Ref | undefined, after: number | undefined): void;
  /** `position`: its place in this log, whichever log that is. */
  receive(placed: PlacedEvent): void;
  /** The line broke, or the server has dropped us. */
  lost(): void;
  /** What was asked under this name failed. */
  refused(ref: Ref | undefined, reason: ToolyardError): void;
  /** It is over: with a reason its reader hears it, without one it just ends. */
  end(reason?: ToolyardError): void;
}

export function createSubscription<T>(options: SubscriptionOptions<T>): {
  subscription: Subscription;
  items: AsyncGenerator<T>;
} {
  const { signal } = options;
  const waiting: PlacedEvent[] = [];
  let { after } = options;
  /** What was asked last; none while paused or without a line. */
  let asked: Ref | undefined;
  let isLive = false;
  let isPaused = false;
  let isClosed = false;
  /** The last event is here, and may still wait for its reader. */
  let isOver = false;
  let failure: ToolyardError | undefined;
  let wake = () => {};

  function begin(): void {
    if (isPaused || isClosed) return;
    isLive = false;
    asked = options.ask(after);
  }

  function lost(): void {
    asked = undefined;
    isLive = false;
  }

  function pauseIt(): void {
    isPaused = true;
    lost();
    options.leave();
  }

  function end(reason?: ToolyardError): void {
    if (isClosed) return;
    isClosed = true;
    failure = reason;
    signal?.removeEventListener('abort', stop);
    if (asked !== undefined) options.leave();
    options.onClosed();
    wake();
  }
  const stop = () => end();

  async function next(): Promise<IteratorResult<T>> {
    for (;;) {
      // Who fails is still given what came before; who stops wants nothing more.
      const placed = isClosed && !failure ? undefined : waiting.shift();
      if (placed) return { done: false, value: options.select(placed) };
      if (isOver) end();
      if (failure) throw failure;
      if (isClosed) return { done: true, value: undefined };
      if (isPaused) {
        isPaused = false;
        begin();
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  if (signal?.aborted) isClosed = true;
  else signal?.addEventListener('abort', stop, { once: true });

  const subscription: Subscription = {
    begin,
    lost,
    end,
    acknowledged(ref, start) {
      if (ref === undefined || ref !== asked) return;
      isLive = true;
      after ??= start;
      options.onAcknowledged?.();
    },
    receive(placed) {
      // What was still on its way from before counts no more: the server sends it again, after its acknowledgement.
      if (!isLive || placed.position <= (after ?? -1)) return;
      if (waiting.length >= maxBuffered) return pauseIt();
      after = placed.position;
      waiting.push(placed);
      isOver = options.isLast(placed);
      wake();
    },
    refused(ref, reason) {
      if (ref !== undefined && ref === asked) end(reason);
    },
  };
  return { subscription, items: toGenerator(next, stop) };
}

/** By hand: a generator that was never asked for anything would not run its end. */
function toGenerator<T>(next: () => Promise<IteratorResult<T>>, stop: () => void): AsyncGenerator<T> {
  const generator: AsyncGenerator<T> = {
    next,
    async return() {
      stop();
      return { done: true, value: undefined };
    },
    async throw(thrown) {
      stop();
      throw thrown;
    },
    [Symbol.asyncIterator]: () => generator,
    [Symbol.asyncDispose]: async () => stop(),
  };
  return generator;
}
