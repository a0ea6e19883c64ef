// The core's start and end: what the last run left behind comes first, and what others use is closed last.
import type { Approvals } from './approvals/approvals.ts';
import type { Questions } from './approvals/questions.ts';
import type { Logger } from './lib/ports.ts';
import type { Log } from './log/log.ts';
import type { Traces } from './operator-log/traces.ts';
import type { Retention } from './retention/retention.ts';
import { type RetentionSchedule, startRetention } from './retention/retention-schedule.ts';
import type { SearchIndex } from './search/search-index.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { TranscriptSync } from './transcripts/transcripts.ts';
import type { Turns } from './turns/turns.ts';

export interface LifetimeDeps {
  log: Log;
  logger: Logger;
  traces: Traces;
  transcripts: TranscriptSync;
  searchIndex: SearchIndex;
  sessions: Sessions;
  approvals: Approvals;
  questions: Questions;
  turns: Turns;
  retention: Retention;
  agents: { finishLeftovers(signal: AbortSignal): Promise<void> };
  /** Aborted for whoever works beside turns and calls. */
  closed: AbortController;
}

export function createLifetime(deps: LifetimeDeps) {
  const { transcripts, searchIndex, sessions, approvals, questions, turns, logger, closed } = deps;
  let sweeps: RetentionSchedule | undefined;
  let leftovers: Promise<void> | undefined;
  return {
    /** After a start: what the last run left behind. */
    async recover(): Promise<void> {
      transcripts.start();
      searchIndex.start();
      await sessions.recover();
      await approvals.recover();
      await questions.recover();
      await turns.recover();
      sweeps = startRetention(deps.retention, logger);
      leftovers = deps.agents.finishLeftovers(closed.signal).catch(() => {});
      const notReady = (cause: unknown) =>
        logger.info('could not prepare an engine for the first session', { cause });
      void sessions.expectFirst().catch(notReady);
    },
    /** Ends turns and calls, then what they used. */
    async close(): Promise<void> {
      await Promise.all([turns.close(), sweeps?.close()]);
      closed.abort();
      approvals.close();
      questions.close();
      await Promise.all([
        leftovers,
        turns.engineSessions.close(),
        transcripts.close(),
        searchIndex.close(),
        sessions.close(),
      ]);
      await deps.traces.close();
      await deps.log.close();
    },
  };
}
