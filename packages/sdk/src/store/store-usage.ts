// The part of the Store port that keeps account of what models used. It outlives the session it is about.
import type { UsageBy, UsageGroup, UsageStep, UsageSum } from '../protocol/usage.ts';

/** What one turn used of a model. Says nothing of what was said. */
export interface TurnUsage {
  turnId: string;
  sessionId: string;
  role: string;
  model: string;
  endedAt: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  costUsd: number | null;
  /** What the day's budget counts for it, when that is not its cost. */
  chargedUsd?: number;
  /** Where in a run it was used: by whom it was drafted, under which root, how far below it. */
  runId?: string;
  rootSessionId?: string;
  parentAgentId?: string;
  depth?: number;
}

export interface UsageQuery {
  /** ISO times; `to` is not included. */
  from: string;
  to: string;
  by: UsageBy;
  step: UsageStep;
  /** Minutes by which the asker's clock is ahead of UTC. */
  utcOffset: number;
  /** Groups that are named. Days are in order and all of them are. */
  limit: number;
}

export interface UsageReads {
  /** One pass over the turns of the span, never over their events. */
  usage(asked: UsageQuery): Promise<{ groups: UsageGroup[]; total: UsageSum }>;
}

export interface UsageWrites {
  /** Inserts the row or replaces it. */
  putUsage(usage: TurnUsage): Promise<void>;
}
