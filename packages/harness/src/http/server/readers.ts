// Open event streams and sockets: counted, so that an idle server knows it is idle, and ended with the token they were
// opened by or with the server.

/** By whose token a reader reads. */
export interface Owner {
  id: string;
  /** When the token ends by itself. */
  expiresAt?: string;
}

export interface Readers {
  /** A controller to abort when the reader leaves. It is aborted when the server stops or the owner may read no more. */
  open(owner: Owner): AbortController;
  count(): number;
  /** Ends the streams of an owner whose token was revoked, at once and for good. */
  dismiss(id: string): void;
  close(): void;
}

/** Why a stream ends before its reader has seen all there is. */
const dismissal = 'dismissed';
const maxTimerMs = 2 ** 31 - 1;

export function wasDismissed({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason === dismissal;
}

export function createReaderList(): Readers {
  const open = new Map<AbortController, string>();
  // A request that was let in before its token was revoked may get here after it.
  const dismissed = new Set<string>();
  let closed = false;
  return {
    open({ id, expiresAt }) {
      const reader = new AbortController();
      if (dismissed.has(id)) reader.abort(dismissal);
      else if (closed) reader.abort();
      else open.set(reader, id);
      const expiry = expiresAt && !reader.signal.aborted ? dismissAt(reader, expiresAt) : undefined;
      const forget = () => {
        clearTimeout(expiry);
        open.delete(reader);
      };
      reader.signal.addEventListener('abort', forget, { once: true });
      return reader;
    },
    count: () => open.size,
    dismiss(id) {
      dismissed.add(id);
      for (const [reader, its] of open) if (its === id) reader.abort(dismissal);
    },
    close() {
      closed = true;
      for (const reader of open.keys()) reader.abort();
    },
  };
}

function dismissAt(reader: AbortController, expiresAt: string): NodeJS.Timeout {
  const leftMs = Math.min(Math.max(0, Date.parse(expiresAt) - Date.now()), maxTimerMs);
  return setTimeout(() => reader.abort(dismissal), leftMs).unref();
}

/** How much a reader of events may hold up, and for how long. */
export interface ReaderLimits {
  /** A reader that has taken nothing for so long, though there was something to take, is dropped with a resync marker. */
  stallMs: number;
  /** A reader that was dropped has so long to take what it was sent before; then its line is cut. */
  lingerMs: number;
  /** How often a socket is asked whether it is still there; one that does not answer until the next time is cut. */
  pingIntervalMs: number;
  /** Bytes that wait for a socket before its next events are left where they are. */
  waitingBytes: number;
  /** Bytes of a frame that ends its socket. Smaller ones that are still too large are refused and forgotten. */
  payloadBytes: number;
  /** What one socket may ask for before the first of it is answered; then nothing more is read from it. */
  requests: number;
  subscriptions: number;
  sockets: number;
}

export const defaultReaderLimits: ReaderLimits = {
  stallMs: 60_000,
  lingerMs: 60_000,
  pingIntervalMs: 30_000,
  waitingBytes: 131_072,
  payloadBytes: 8 * 1024 * 1024,
  requests: 64,
  subscriptions: 1_000,
  sockets: 1_000,
};
