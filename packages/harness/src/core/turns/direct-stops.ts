// What may stop a direct call before it has ended by itself.
import type { TurnOutcome } from '@toolyard/sdk';
import { callCutOff } from '../sessions/direct-turns.ts';

/** What stops calls: of an actor whose token was revoked, in a session that is deleted, or all. */
export function createStops() {
  const open = new Map<AbortController, { actorId: string; sessionId: string }>();
  // A request that was let in before may begin its call after; ids are never given twice.
  const stopped = new Set<string>();
  let closed = false;
  return {
    open(actorId: string, sessionId: string): AbortController {
      const stop = new AbortController();
      if (closed || stopped.has(actorId)) stop.abort();
      open.set(stop, { actorId, sessionId });
      return stop;
    },
    close: (stop: AbortController) => void open.delete(stop),
    stopOf(actorId: string): void {
      stopped.add(actorId);
      for (const [stop, of] of open) if (of.actorId === actorId) stop.abort();
    },
    stopIn(sessionId: string): void {
      for (const [stop, of] of open) if (of.sessionId === sessionId) stop.abort();
    },
    /** How the turn of a call that was stopped ends. */
    toOutcome: (): TurnOutcome =>
      closed ? { outcome: 'failed', error: callCutOff } : { outcome: 'interrupted' },
    stopAll(): void {
      closed = true;
      for (const stop of open.keys()) stop.abort();
    },
  };
}
