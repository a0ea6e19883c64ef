// What goes out over one WebSocket: counted, so that whoever sends much can wait, and watched, so that a reader that
// takes nothing is noticed.
import type { WebSocket } from 'ws';
import type { ReaderLimits } from '../server/readers.ts';

export interface SocketWriter {
  send(text: string): void;
  /** So much waits that whatever can wait should. */
  isFull(): boolean;
  /** Resolves when there is room again, or nobody there any more. */
  ready(): Promise<void>;
  close(): void;
}

export interface SocketWriterOptions {
  limits: Pick<ReaderLimits, 'stallMs' | 'lingerMs' | 'pingIntervalMs' | 'waitingBytes'>;
  /** The reader has taken nothing for too long. Called once in a stall. */
  onStalled(): void;
  /** There is room again after there was none. */
  onReady(): void;
}

export function createSocketWriter(
  socket: WebSocket,
  { limits, onStalled, onReady }: SocketWriterOptions,
): SocketWriter {
  const sleepers = new Set<() => void>();
  let waiting = 0;
  let lastTaken = 0;
  let stalledAt: number | undefined;
  let isClosed = false;
  let isAlive = true;
  let lastPing = performance.now();

  const isFull = () => waiting >= limits.waitingBytes;

  function taken(bytes: number): void {
    const wasFull = isFull();
    waiting -= bytes;
    lastTaken = performance.now();
    stalledAt = undefined;
    if (!wasFull || isFull()) return;
    wake();
    onReady();
  }

  function wake(): void {
    for (const sleeper of sleepers) sleeper();
    sleepers.clear();
  }

  function checkProgress(): void {
    const now = performance.now();
    if (waiting > 0 && stalledAt === undefined && now - lastTaken > limits.stallMs) {
      stalledAt = now;
      onStalled();
    } else if (stalledAt !== undefined && now - stalledAt > limits.lingerMs) socket.terminate();
    if (now - lastPing > limits.pingIntervalMs) ping(now);
  }

  /** While nothing is read from it, its answer could not be heard; and one that stalls is judged by that. */
  function ping(now: number): void {
    lastPing = now;
    if (!isAlive && !socket.isPaused && waiting === 0) socket.terminate();
    else socket.ping();
    isAlive = false;
  }

  for (const sign of ['pong', 'message'] as const) {
    socket.on(sign, () => {
      isAlive = true;
    });
  }
  const watch = setInterval(checkProgress, Math.min(limits.stallMs, limits.pingIntervalMs) / 4).unref();

  return {
    send(text) {
      if (socket.readyState !== socket.OPEN) return;
      if (waiting === 0) lastTaken = performance.now();
      // Its length in characters is near enough, and costs nothing.
      waiting += text.length;
      socket.send(text, () => taken(text.length));
    },
    isFull,
    ready: () =>
      new Promise((resolve) => {
        if (isFull() && !isClosed) sleepers.add(resolve);
        else resolve();
      }),
    close() {
      isClosed = true;
      clearInterval(watch);
      wake();
    },
  };
}
