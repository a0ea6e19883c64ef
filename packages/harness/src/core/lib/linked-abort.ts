// One signal that follows others and can be let go of. `AbortSignal.any` keeps a signal somebody listens to for ever, and
// with it all that the listener knows.

export interface LinkedAbort {
  signal: AbortSignal;
  abort(reason: unknown): void;
  /** Follows the others no longer. */
  unlink(): void;
}

export function linkAbort(sources: readonly AbortSignal[]): LinkedAbort {
  const controller = new AbortController();
  const followed = sources.map((source) => {
    const follow = () => controller.abort(source.reason);
    if (source.aborted) follow();
    else source.addEventListener('abort', follow, { once: true });
    return () => source.removeEventListener('abort', follow);
  });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    unlink: () => {
      for (const stop of followed) stop();
    },
  };
}
