// Progress to a client that asked for it: always rising, and never more than a slow reader can be made to hold.
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Progress } from '@toolyard/sdk';
import { createThinning } from '../core/calls/progress.ts';

export type Report = (report: Progress) => void;

export function createReport({ mcpReq }: Pick<ServerContext, 'mcpReq'>): Report {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  const rise = createRise();
  const mayPass = createThinning();
  return ({ message, done, total }) => {
    if (!mayPass()) return;
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
