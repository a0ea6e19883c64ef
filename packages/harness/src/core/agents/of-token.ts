// What works for a client that calls by a token: when that is revoked, nobody is left to wait for it, or to stop it.
import type { StoreReads } from '@toolyard/sdk';
import { isCallerOf } from '../identity/callers.ts';
import type { Kill } from './kill.ts';

/** More than any limits let work at once. */
const most = 100_000;

export async function endAgentsOf(
  tokenId: string,
  reads: StoreReads,
  kill: Pick<Kill, 'below'>,
): Promise<void> {
  const live = await reads.dispatches({ live: true, limit: most });
  for (const id of new Set(live.map(({ rootSessionId }) => rootSessionId))) {
    const root = await reads.session(id);
    if (root && isCallerOf(tokenId, root)) await kill.below(id);
  }
}
