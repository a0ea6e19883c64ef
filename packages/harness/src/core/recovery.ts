// What a start does with what the last run left behind: no turn stays running, and nothing accepted is forgotten.
import type { Store, Turn, TurnHead } from '@toolyard/sdk';
import { endOrphans } from './agents/orphans.ts';
import { toUncountedUsd } from './agents/spend-gate.ts';
import { callCutOff, isDirectTurn } from './direct-turns.ts';
import type { Prices } from './prices.ts';
import { askedBy, type Questions } from './questions.ts';
import { settleWithin, stillRunning } from './settle-within.ts';
import type { EndTurn } from './turn-end.ts';
import { type CountStep, nothingSpent, spentSoFar } from './turn-spending.ts';

export interface RecoveryDeps {
  store: Store;
  endTurn: EndTurn;
  prices: Prices;
  /** Recovered before: which turns wait for an answer about a limit, or have not gone on with it. */
  questions: Pick<Questions, 'isWaiting'>;
  /** Does a call of this tool only wait for what is stored? */
  waits(tool: string): boolean;
  wake(sessionId: string, underWay?: Turn): void;
  /** How long a start waits for a disk that refuses. */
  patienceMs?: number;
}

const turnCutOff = {
  code: 'restarted' as const,
  message: 'The server stopped during this turn. Retry it to go on from the last step.',
};

/**
 * Ends turns that were under way as `restarted`, and with them those of agents that worked for them. Goes on with turns that
 * wait for a person or an agent, and lets queued ones run.
 */
export async function recover(deps: RecoveryDeps): Promise<void> {
  const { store, prices, questions, waits, wake, patienceMs = 5_000 } = deps;
  const endTurn = withPatience(deps.endTurn, patienceMs);
  const waiting: string[] = [];
  for (const turn of await store.reads.turnsIn(['running'])) {
    // The caller of a direct call has gone with the last run: nobody is left to hear its result.
    const isLeft =
      !isDirectTurn(turn) && (questions.isWaiting(turn.id) || (await isWaiting(store, turn, waits)));
    if (isLeft) waiting.push(turn.id);
    else {
      const failed = { outcome: 'failed', error: isDirectTurn(turn) ? callCutOff : turnCutOff } as const;
      const { model = '' } = (await store.reads.session(turn.sessionId)) ?? {};
      const count = isDirectTurn(turn) ? undefined : toCount(prices, model);
      await endTurn(turn, failed, await spentSoFar(store, turn, count));
    }
  }
  await endOrphans({ store, endTurn });
  for (const id of waiting) {
    const turn = await store.reads.turn(id);
    if (turn?.state === 'running') wake(turn.sessionId, turn);
  }
  for (const { sessionId } of await store.reads.turnsIn(['queued'])) wake(sessionId);
}

/** What cannot be stored now is as soon as it can be: the start goes on without it. */
function withPatience(endTurn: EndTurn, patienceMs: number): EndTurn {
  let leftMs = patienceMs;
  return async (...ended) => {
    const isLate = await settleWithin(endTurn(...ended), AbortSignal.abort(), leftMs);
    if (isLate === stillRunning) leftMs = 0;
  };
}

/** Nobody will hear what the step has used that was under way. */
function toCount(prices: Prices, model: string): CountStep {
  const costUsd = prices.price(model, nothingSpent);
  return (step) => ({ costUsd, chargedUsd: costUsd ?? toUncountedUsd(prices, model, step) });
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
