// When retention works: soon after the start, then every hour, one pass at a time. A pass that fails is told and tried
// again at the next hour.
import type { Logger } from '../lib/ports.ts';
import type { Retention } from './retention.ts';

const firstDelayMs = 1_000;
const intervalMs = 3_600_000;

export interface RetentionSchedule {
  /** Ends a pass that is under way at its next step. */
  close(): Promise<void>;
}

export function startRetention(
  { sweep }: Retention,
  logger: Logger,
  { firstMs = firstDelayMs, nextMs = intervalMs } = {},
): RetentionSchedule {
  const closing = new AbortController();
  let timer = setTimeout(tick, firstMs).unref();
  let sweeping = Promise.resolve();

  function tick(): void {
    sweeping = sweep(closing.signal)
      .then(({ removed, usedBytes }) => logger.debug('retention finished', { removed, usedBytes }))
      .catch((cause: unknown) => {
        if (!closing.signal.aborted) logger.warn('retention failed', { cause });
      })
      .finally(() => {
        if (!closing.signal.aborted) timer = setTimeout(tick, nextMs).unref();
      });
  }

  return {
    async close() {
      closing.abort();
      clearTimeout(timer);
      await sweeping;
    },
  };
}
