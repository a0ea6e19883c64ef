// What was asked and how it went, for who debugs: method, path, status and time. No body, no query, no header.
import type { Logger } from '../../core/lib/ports.ts';
import type { Door } from './mount.ts';

const longestPath = 200;

/** First of all, so that what the guards refuse is there, too. A stream goes on after its answer has begun. */
export function mountRequestLog(app: Door, logger: Logger): void {
  app.use(async (c, next) => {
    const startedAt = performance.now();
    await next();
    const { method, path } = c.req;
    const sessionId = path.match(/\/(ses_[0-9a-z]{1,40})(?:\/|$)/)?.[1];
    logger.debug('request', {
      method: method.slice(0, 20),
      path: path.slice(0, longestPath),
      status: c.res.status,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      // Who asked, if a guard has let them in.
      by: c.get('principal')?.id,
      sessionId,
    });
  });
}
