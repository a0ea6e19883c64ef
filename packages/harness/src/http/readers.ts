// Open event streams: counted, so that an idle server knows it is idle, and ended together when it stops.

export interface Readers {
  /** A controller to abort when the reader leaves. It is aborted when the server stops. */
  open(): AbortController;
  count(): number;
  close(): void;
}

export function createReaderList(): Readers {
  const open = new Set<AbortController>();
  let closed = false;
  return {
    open() {
      const reader = new AbortController();
      if (closed) reader.abort();
      else open.add(reader);
      reader.signal.addEventListener('abort', () => open.delete(reader), { once: true });
      return reader;
    },
    count: () => open.size,
    close() {
      closed = true;
      for (const reader of open) reader.abort();
    },
  };
}
