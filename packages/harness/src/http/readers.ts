// Open event streams: counted, so that an idle server knows it is idle, and ended with the token they were opened by or
// with the server.

export interface Readers {
  /** A controller to abort when the reader leaves. It is aborted when the server stops or the owner may read no more. */
  open(owner: string): AbortController;
  count(): number;
  /** Ends the streams of an owner whose token was revoked, at once and for good. */
  dismiss(owner: string): void;
  close(): void;
}

/** Why a stream ends before its reader has seen all there is. */
const dismissal = 'dismissed';

export function wasDismissed({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason === dismissal;
}

export function createReaderList(): Readers {
  const open = new Map<AbortController, string>();
  // A request that was let in before its token was revoked may get here after it.
  const dismissed = new Set<string>();
  let closed = false;
  return {
    open(owner) {
      const reader = new AbortController();
      if (dismissed.has(owner)) reader.abort(dismissal);
      else if (closed) reader.abort();
      else open.set(reader, owner);
      reader.signal.addEventListener('abort', () => open.delete(reader), { once: true });
      return reader;
    },
    count: () => open.size,
    dismiss(owner) {
      dismissed.add(owner);
      for (const [reader, its] of open) if (its === owner) reader.abort(dismissal);
    },
    close() {
      closed = true;
      for (const reader of open.keys()) reader.abort();
    },
  };
}
