// The core's start and end: what the last run left behind is seen to first, and what others use is closed last.
import type { Approvals } from './approvals/approvals.ts';
import type { Questions } from './approvals/questions.ts';
import type { CoreDeps } from './core-deps.ts';
import type { Log } from './log/log.ts';
import { flushLog } from './log/log-flush.ts';
import type { Retention } from './retention/retention.ts';
import { type RetentionClock, startRetention } from './retention/retention-clock.ts';
import type { SearchIndex } from './search/search-index.ts';
import type { SessionOpening } from './session-ops/session-opening.ts';
import type { SessionRemoval } from './session-ops/session-removal.ts';
import type { TranscriptSync } from './transcripts/transcripts.ts';
import type { DirectCalls } from './turns/direct-calls.ts';
import type { EngineSessions } from './turns/engine-sessions.ts';
import { type RecoveryDeps, recover } from './turns/recovery.ts';
import type { Turns } from './turns/turns.ts';

export interface CoreLifeDeps
  extends Pick<CoreDeps, 'store' | 'logger' | 'traces'>,
    Omit<RecoveryDeps, 'wake'> {
  log: Log;
  transcripts: TranscriptSync;
  searchIndex: SearchIndex;
  removal: SessionRemoval;
  approvals: Approvals;
  questions: Questions;
  turns: Turns;
  directCalls: DirectCalls;
  engineSessions: EngineSessions;
  opening: SessionOpening;
  retention: Retention;
  /** Of agents that worked in a tree of their own. */
  finishLeftovers(signal: AbortSignal): Promise<void>;
  /** Told to whoever works beside turns and calls. */
  closed: AbortController;
}

export function createCoreLife(deps: CoreLifeDeps) {
  const { transcripts, searchIndex, removal, approvals, questions, turns, directCalls, logger, closed } =
    deps;
  let sweeps: RetentionClock | undefined;
  let leftovers: Promise<void> | undefined;
  return {
    /** After a start: what the last run left behind. */
    async recover(): Promise<void> {
      transcripts.start();
      searchIndex.start();
      await removal.recover();
      await approvals.recover();
      await questions.recover();
      await recover({ ...deps, wake: turns.wake });
      sweeps = startRetention(deps.retention, logger);
      leftovers = deps.finishLeftovers(closed.signal).catch(() => {});
      const notReady = (cause: unknown) => logger.info('nothing was made ready', { cause });
      void deps.opening.expectFirst().catch(notReady);
    },
    /** Ends turns and calls, then what they used. */
    async close(): Promise<void> {
      await Promise.all([turns.close(), directCalls.close(), sweeps?.close()]);
      closed.abort();
      approvals.close();
      questions.close();
      await Promise.all([
        leftovers,
        deps.engineSessions.close(),
        transcripts.close(),
        searchIndex.close(),
        removal.close(),
      ]);
      await deps.traces.close();
      await flushLog(deps.log);
    },
  };
}
