// A WebSocket that comes back: opens, tells what arrives, and after a break opens again, until it is closed or refused.

import { pause, untilAborted } from '../lib/wait.ts';
import { ToolyardError } from '../protocol/error.ts';

/** What is used of a WebSocket: any implementation of the browsers' interface will do. */
export interface SocketLike {
  send(data: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: object) => void): void;
}
export type SocketConstructor = new (url: string, protocols: string[]) => SocketLike;

/** `retrying`: it was open or tried to be, and tries again. `closed`: for good. */
export type SocketState = 'connecting' | 'open' | 'retrying' | 'closed';

export interface ReconnectingSocketOptions {
  connect(): SocketLike;
  /** Asks over HTTP why the socket was refused, which a WebSocket does not tell. Rejects with the reason. */
  probe(): Promise<unknown>;
  onOpen(): void;
  onText(text: string): void;
  /** The line broke: what was under way may or may not have arrived. */
  onLost(): void;
  /** It is over: because the server will not have us, or without a reason by `close`. */
  onEnd(reason: ToolyardError | undefined): void;
  /** With it, a login that is over does not end the line: this is told, and `wake` tries again with whatever login is there. */
  onUnauthorized?: (() => void) | undefined;
}

export interface ReconnectingSocket {
  readonly state: SocketState;
  /** Calls `listener` now and at every change. Returns how to stop that. */
  onState(listener: (state: SocketState) => void): () => void;
  /** Only while it is open. */
  send(text: string): void;
  /** Tries again at once, if it waits for that or for a login. */
  wake(): void;
  /** With a reason, whoever waits for something hears it. */
  close(reason?: ToolyardError): void;
}

/** The server ended it because the token is no longer valid. */
const policyViolation = 1008;
/** Answers to the probe that may be others soon. */
const transientCodes: readonly string[] = [
  'upgrade_required',
  'server_unreachable',
  'shutting_down',
  'too_many_attempts',
];

export function createReconnectingSocket(options: ReconnectingSocketOptions): ReconnectingSocket {
  const listeners = new Set<(state: SocketState) => void>();
  const stop = new AbortController();
  let state: SocketState = 'connecting';
  let current: SocketLike | undefined;
  let attempt = 0;
  /** The wait before the next attempt. */
  let nap = new AbortController();

  function change(next: SocketState): void {
    state = next;
    for (const listener of listeners) listener(next);
  }

  function open(): void {
    const socket = options.connect();
    current = socket;
    let wasOpen = false;
    socket.addEventListener('open', () => {
      if (current !== socket) return;
      wasOpen = true;
      change('open');
      options.onOpen();
    });
    socket.addEventListener('message', (event) => {
      if (current !== socket || !('data' in event) || typeof event.data !== 'string') return;
      // Only now: a server that lets us in and hangs up must not be asked without a pause.
      attempt = 0;
      options.onText(event.data);
    });
    // What went wrong is not told here; the close that follows is what counts.
    socket.addEventListener('error', () => {});
    socket.addEventListener('close', (event) => {
      if (current !== socket) return;
      current = undefined;
      const isRefused = !wasOpen || ('code' in event && event.code === policyViolation);
      void retry(isRefused);
    });
  }

  async function retry(isRefused: boolean): Promise<void> {
    change('retrying');
    options.onLost();
    const refusal = isRefused ? await findRefusal(options.probe) : undefined;
    if (stop.signal.aborted) return;
    const notify = refusal?.code === 'unauthorized' ? options.onUnauthorized : undefined;
    if (refusal && !notify) return end(refusal);
    nap = new AbortController();
    const signal = AbortSignal.any([stop.signal, nap.signal]);
    notify?.();
    await (notify ? untilAborted(new Promise<never>(() => {}), signal) : pause(toWait(attempt++), signal));
    if (!stop.signal.aborted) open();
  }

  function end(reason?: ToolyardError): void {
    if (state === 'closed') return;
    const socket = current;
    current = undefined;
    change('closed');
    stop.abort();
    socket?.close(1000);
    options.onEnd(reason);
  }

  open();
  return {
    get state() {
      return state;
    },
    onState(listener) {
      listeners.add(listener);
      listener(state);
      return () => void listeners.delete(listener);
    },
    send: (text) => current?.send(text),
    wake: () => nap.abort(),
    close: end,
  };
}

const initialWaitMs = 250;
const maxWaitMs = 10_000;

/** Longer each time, and not the same for all who lost the same server. */
export function toWait(attempt: number, chance = Math.random()): number {
  return Math.min(initialWaitMs * 2 ** attempt, maxWaitMs) * (0.75 + chance / 2);
}

async function findRefusal(probe: () => Promise<unknown>): Promise<ToolyardError | undefined> {
  const thrown: unknown = await probe().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return thrown instanceof ToolyardError && !transientCodes.includes(thrown.code) ? thrown : undefined;
}
