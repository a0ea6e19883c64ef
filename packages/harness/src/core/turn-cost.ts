// What a turn has cost, from the log: the only witness after a crash.
import { addCost, createTurnFilter, type StoreReads, type Turn } from '@toolyard/sdk';

/** What the log says the turn had cost before the end. */
export async function costSoFar(
  { reads }: { reads: Pick<StoreReads, 'events'> },
  turn: Pick<Turn, 'id' | 'sessionId' | 'seq'>,
): Promise<number | null> {
  const isOwn = createTurnFilter(turn.id);
  let cost: number | null = 0;
  for (let after = turn.seq; ; ) {
    const page = await reads.events(turn.sessionId, after, 500);
    for (const event of page) {
      if (isOwn(event) && event.type === 'usage') cost = addCost(cost, event.data.costUsd);
      after = event.seq;
    }
    if (page.length === 0) return cost;
  }
}
