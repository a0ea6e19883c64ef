// Notices a stream that has fallen silent. Only time spent waiting for the provider counts, not a slow reader's.

export interface SilenceWatch {
  /** The wait for the provider begins, or goes on after a sign of life. */
  listen(): void;
  /** Something else is waited for. */
  rest(): void;
  stop(): void;
}

export function watchSilence(ms: number, onSilent: () => void): SilenceWatch {
  let listening = true;
  const timer = setTimeout(() => (listening ? onSilent() : timer.refresh()), ms);
  return {
    listen() {
      listening = true;
      timer.refresh();
    },
    rest() {
      listening = false;
    },
    stop: () => clearTimeout(timer),
  };
}
