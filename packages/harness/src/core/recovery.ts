// What a start does with what the last run left behind: no turn stays running, and nothing accepted is forgotten.
import { addCost, type Store, type Turn } from '@toolyard/sdk';
import type { EndTurn } from './turn-end.ts';

interface RecoveryDeps {
  store: Store;
  endTurn: EndTurn;
  wake(sessionId: string): void;
}

/** Ends turns that were under way as `restarted`, then lets queued ones run. */
export async function recover({ store, endTurn, wake }: RecoveryDeps): Promise<void> {
  const error = {
    code: 'restarted' as const,
    message: 'The server stopped during this turn. Retry it to go on from the last step.',
  };
  for (const turn of await store.reads.turnsIn(['running'])) {
    await endTurn(turn, { outcome: 'failed', error }, await costSoFar(store, turn));
  }
  for (const { sessionId } of await store.reads.turnsIn(['queued'])) wake(sessionId);
}

/** What the log says the turn had cost before the end. */
async function costSoFar({ reads }: Store, turn: Turn): Promise<number | null> {
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
