// What has become of a session since a person looked at it: whether its last turn has ended well or failed.
import { useQuery } from '@tanstack/react-query';
import type { Session, TurnEnd } from '@toolyard/sdk';
import { client } from '../connection/client.ts';
import { useSeen } from '../storage/seen-sessions.ts';

export type Mark = 'finished' | 'failed';

/** The end of a turn is among the last events of a session that is idle. */
const maxEventsBack = 12;
/** What retention has taken away never comes. */
const readTimeoutMs = 10_000;

/** `undefined` when there is nothing to tell. */
export function useFinishedMark({ id, status, lastSeq, updatedAt, engine }: Session): Mark | undefined {
  const { seen, since } = useSeen(id);
  const isIdle = status === 'idle' && engine !== 'direct';
  const isNew = isIdle && (seen ? lastSeq > seen.seq : lastSeq > 0 && updatedAt > since);
  const after = Math.max(seen?.seq ?? 0, lastSeq - maxEventsBack);
  const { data } = useQuery({
    queryKey: ['ends', id, lastSeq],
    queryFn: ({ signal }) => runSerially(() => readEnd(id, after, lastSeq, signal)),
    enabled: isNew,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (!isIdle) return undefined;
  const outcome = isNew ? data?.outcome : undefined;
  if (outcome) return outcome === 'failed' ? 'failed' : 'finished';
  return seen?.hasFailed ? 'failed' : undefined;
}

async function readEnd(
  id: string,
  after: number,
  lastSeq: number,
  signal: AbortSignal,
): Promise<{ outcome: TurnEnd | undefined }> {
  let outcome: TurnEnd | undefined;
  const stop = AbortSignal.any([signal, AbortSignal.timeout(readTimeoutMs)]);
  for await (const event of client.sessions.events(id, { after, signal: stop })) {
    if (event.type === 'turn_end') outcome = event.data.outcome;
    if (event.seq >= lastSeq) break;
  }
  return { outcome };
}

let last: Promise<unknown> = Promise.resolve();

/** One after the other: a browser has few lines, and the conversation needs them more. */
function runSerially<T>(read: () => Promise<T>): Promise<T> {
  const next = last.then(read, read);
  last = next;
  return next;
}
