// Open event streams: counted, so that an idle server knows it is idle, and ended together when it stops.

export interface Readers {
  /** A controller that aborts when the reader leaves or the server stops. */
  open(): AbortController;
  count(): number;
  close(): void;
}

export function createReaderList(): Readers {
  const open = new Set<AbortController>();
  return {
    open() {
      const reader = new AbortController();
      open.add(reader);
      reader.signal.addEventListener('abort', () => open.delete(reader), { once: true });
      return reader;
    },
    count: () => open.size,
    close() {
      for (const reader of open) reader.abort();
    },
  };
}
