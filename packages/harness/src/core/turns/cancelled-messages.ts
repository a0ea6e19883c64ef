// Messages that are taken back before anybody has begun with them: their turns end without having run. No model reads
// them, and no conversation shows them; the log keeps what was said.

import type { Clock } from '../lib/ports.ts';
import type { Log } from '../log/log.ts';

export interface CancelledMessageDeps {
  log: Log;
  clock: Clock;
}

export function createCancelledMessages({ log, clock }: CancelledMessageDeps) {
  const underWay = new Map<string, Promise<boolean>>();

  async function store(sessionId: string, turnId: string): Promise<boolean> {
    const at = new Date(clock.now()).toISOString();
    return log.commit(sessionId, async (tx, append) => {
      const turn = await tx.turn(turnId);
      if (turn?.sessionId !== sessionId || turn.state !== 'queued') return false;
      // The work of an agent is not a message to it: whoever does not want it kills the agent.
      if (await tx.dispatchOfTurn(turnId)) return false;
      await tx.updateTurn(turnId, { state: 'withdrawn', endedAt: at });
      await append({
        type: 'turn_end',
        data: { turnId, outcome: 'interrupted', costUsd: 0, withdrawn: true },
      });
      if ((await tx.openTurns(sessionId)).length > 0) return true;
      await tx.updateSession(sessionId, { status: 'idle' });
      await append({ type: 'session_status', data: { status: 'idle' } });
      return true;
    });
  }

  return {
    /** Resolves when that is durable. False: the turn was not queued any more. Nobody may have begun with it before. */
    async cancel(sessionId: string, turnId: string): Promise<boolean> {
      const storing = store(sessionId, turnId).finally(() => underWay.delete(turnId));
      underWay.set(turnId, storing);
      return storing;
    },
    /** For whoever is about to begin with a turn. Says whether it is gone. */
    async isCancelled(turnId: string): Promise<boolean> {
      return (await underWay.get(turnId)?.catch(() => false)) ?? false;
    },
    isUnderWay: (turnId: string): boolean => underWay.has(turnId),
  };
}
