// What a start does with what the last run left behind: no turn stays running, and nothing accepted is forgotten.
import type { Store, Turn, TurnHead } from '@toolyard/sdk';
import { callCutOff, isDirectTurn } from './direct-turns.ts';
import type { Prices } from './prices.ts';
import { askedBy } from './questions.ts';
import type { EndTurn } from './turn-end.ts';
import { nothingSpent, spentSoFar } from './turn-spending.ts';

interface RecoveryDeps {
  store: Store;
  endTurn: EndTurn;
  prices: Prices;
  /** Does a call of this tool only wait for what is stored? */
  waits(tool: string): boolean;
  wake(sessionId: string, underWay?: Turn): void;
}

const turnCutOff = {
  code: 'restarted' as const,
  message: 'The server stopped during this turn. Retry it to go on from the last step.',
};

/** Goes on with turns that wait for a person or an agent, ends others that were under way as `restarted`, lets queued ones run. */
export async function recover({ store, endTurn, prices, waits, wake }: RecoveryDeps): Promise<void> {
  for (const turn of await store.reads.turnsIn(['running'])) {
    // The caller of a direct call has gone with the last run: nobody is left to hear its result.
    if (!isDirectTurn(turn) && (await isWaiting(store, turn, waits)))
      wake(turn.sessionId, await store.reads.turn(turn.id));
    else {
      const failed = { outcome: 'failed', error: isDirectTurn(turn) ? callCutOff : turnCutOff } as const;
      const { model = '' } = (await store.reads.session(turn.sessionId)) ?? {};
      const cutOff = isDirectTurn(turn) ? 0 : prices.price(model, nothingSpent);
      await endTurn(turn, failed, await spentSoFar(store, turn, cutOff));
    }
  }
  for (const { sessionId } of await store.reads.turnsIn(['queued'])) wake(sessionId);
}

/**
 * A call that was asked and not yet run, or that asks something itself: its person may still answer, or has. Or one that
 * waits for an agent.
 */
async function isWaiting(store: Store, turn: TurnHead, waits: RecoveryDeps['waits']): Promise<boolean> {
  const open = (await store.reads.toolCalls(turn.id)).filter(({ result }) => !result);
  if (open.some(({ state }) => state === 'asked' || state === 'allowed')) return true;
  if (open.some(({ tool }) => waits(tool))) return true;
  const asked = await store.reads.questions({ turnId: turn.id, state: 'pending', limit: 1 });
  if (asked.length > 0) return true;
  const asking = await Promise.all(open.map(({ callId }) => askedBy(store, turn.id, callId)));
  return asking.some(({ length }) => length > 0);
}
