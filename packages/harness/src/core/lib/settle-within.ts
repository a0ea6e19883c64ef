// Waits for work that was told to stop, but not for ever.

export const stillRunning = Symbol('still running');

/** The result of `work`; or `stillRunning` when it goes on for `graceMs` after `signal` aborts. */
export async function settleWithin<T>(
  work: Promise<T>,
  signal: AbortSignal,
  graceMs: number,
): Promise<T | typeof stillRunning> {
  const { promise: late, resolve } = Promise.withResolvers<typeof stillRunning>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => resolve(stillRunning), graceMs);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    work.catch(() => {});
  }
}
