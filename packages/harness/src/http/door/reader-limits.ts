// How much a reader of events may hold up, and for how long. Numbers only.

export interface ReaderLimits {
  /** A reader that has taken nothing for so long, though there was something to take, is dropped with a resync marker. */
  stallMs: number;
  /** A reader that was dropped has so long to take what it was sent before; then its line is cut. */
  lingerMs: number;
  /** How often a socket is asked whether it is still there; one that does not answer until the next time is cut. */
  pingEveryMs: number;
  /** Bytes that wait for a socket before its next events are left where they are. */
  waitingBytes: number;
  /** Bytes of a frame that ends its socket. Smaller ones that are still too large are refused and forgotten. */
  payloadBytes: number;
  /** What one socket may ask for before the first of it is answered; then nothing more is read from it. */
  requests: number;
  subscriptions: number;
  sockets: number;
}

export const shippedReaderLimits: ReaderLimits = {
  stallMs: 60_000,
  lingerMs: 60_000,
  pingEveryMs: 30_000,
  waitingBytes: 131_072,
  payloadBytes: 8 * 1024 * 1024,
  requests: 64,
  subscriptions: 1_000,
  sockets: 1_000,
};
