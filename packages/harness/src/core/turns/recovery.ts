// What a start does with what the last run left behind: no turn stays running, and nothing accepted is forgotten.
import type { Store, Turn, TurnHead } from '@toolyard/sdk';
import { endOrphans } from '../agents/orphans.ts';
import { toUncountedUsd } from '../agents/spend-gate.ts';
import { askedBy, type Questions } from '../approvals/questions.ts';
import { type CountStep, nothingSpent, spentSoFar } from '../budget/turn-spending.ts';
import type { Logger } from '../lib/ports.ts';
import { settleWithin, stillRunning } from '../lib/settle-within.ts';
import type { Prices } from '../models/prices.ts';
import { callCutOff, isDirectTurn } from '../session-records/direct-turns.ts';
import type { EndTurn } from './turn-end.ts';

export interface RecoveryDeps {
  store: Store;
  endTurn: EndTurn;
  prices: Prices;
  /** Recovered before: which turns wait for an answer about a limit, or have not gone on with it. */
  questions: Pick<Questions, 'isWaiting'>;
  /** Does a call of this tool only wait for what is stored? */
  waits(tool: string): boolean;
  wake(sessionId: string, underWay?: Turn): void;
  logger: Logger;
  /** How long a start waits for a disk that refuses. */
  timeoutMs?: number;
}

const turnCutOff = {
  code: 'restarted' as const,
  message: 'The server stopped during this turn. Retry to continue from the last step.',
};

/**
 * Ends turns that were under way as `restarted`, and with them those of agents that worked for them. Goes on with turns that
 * wait for a person or an agent, and lets queued ones run.
 */
export async function recover(deps: RecoveryDeps): Promise<void> {
  const { store, prices, questions, waits, wake, logger, timeoutMs = 5_000 } = deps;
  const { endTurn, whenEnded } = withTimeout(deps.endTurn, timeoutMs);
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
  const resumeTurn = async () => {
    for (const id of waiting) {
      const turn = await store.reads.turn(id);
      if (turn?.state === 'running') wake(turn.sessionId, turn);
    }
    for (const { sessionId } of await store.reads.turnsIn(['queued'])) wake(sessionId);
  };
  const onFailure = (cause: unknown) => logger.error('could not clean up after the last stop', { cause });
  await whenEnded(async () => {
    await endOrphans({ store, endTurn });
    await whenEnded(resumeTurn, onFailure);
  }, onFailure);
}

/**
 * What cannot be stored now is as soon as it can be: the start goes on without it. But nobody is let go on who may be among
 * those that are being ended.
 */
function withTimeout(endTurn: EndTurn, timeoutMs: number) {
  let leftMs = timeoutMs;
  let late: Promise<void>[] = [];
  return {
    async endTurn(...of: Parameters<EndTurn>): Promise<void> {
      const ending = endTurn(...of);
      if ((await settleWithin(ending, AbortSignal.abort(), leftMs)) !== stillRunning) return;
      leftMs = 0;
      late.push(ending);
    },
    /** Does it now, or as soon as all that is late has ended. */
    async whenEnded(next: () => Promise<void>, onFailure: (cause: unknown) => void): Promise<void> {
      if (late.length === 0) return next();
      const ended = Promise.allSettled(late);
      late = [];
      void ended.then(next).catch(onFailure);
    },
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
