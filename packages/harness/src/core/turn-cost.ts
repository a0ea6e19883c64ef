// What a turn has cost, from the log: the only witness after a crash.
import { addCost, type Store, type Turn } from '@toolyard/sdk';

/** What the log says the turn had cost before the end. */
export async function costSoFar({ reads }: Store, turn: Turn): Promise<number | null> {
  let cost: number | null = 0;
  let counting = false;
  for (let after = turn.seq; ; ) {
    const page = await reads.events(turn.sessionId, after, 500);
    for (const event of page) {
      if (event.type === 'turn_start') counting = event.data.turnId === turn.id;
      if (event.type === 'usage' && counting) cost = addCost(cost, event.data.costUsd);
      after = event.seq;
    }
    if (page.length === 0) return cost;
  }
}
