// Progress to a client that asked for it: always rising, and never more than a slow reader can be made to hold.
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Progress } from '@toolyard/sdk';

export type Report = (report: Progress) => void;

/** A burst is fine; a flood is thinned out to one notice in so many milliseconds. */
const burst = 100;
const thereafterMs = 50;

export function createReport({ mcpReq }: Pick<ServerContext, 'mcpReq'>): Report {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  const startedAt = performance.now();
  const rise = createRise();
  let sent = 0;
  return ({ message, done, total }) => {
    if (sent >= burst + (performance.now() - startedAt) / thereafterMs) return;
    sent++;
    const params = {
      progressToken,
      progress: rise(done),
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    };
    // A client that has left misses nothing.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

/** The protocol wants each number above the last, also when there is only something to say. */
function createRise(): (done: number | undefined) => number {
  let last: number | undefined;
  let counts = false;
  return (done) => {
    if (done !== undefined && (last === undefined || done > last)) {
      counts = true;
      last = done;
    } else last = (last ?? 0) + (counts ? 2 ** -10 : 1);
    return last;
  };
}
