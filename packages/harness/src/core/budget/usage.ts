// What was used in a span of time, for people: the span is bounded, and what is not named is still counted.
import {
  type StoreReads,
  ToolyardError,
  type UsageGroup,
  type UsageQuery,
  type UsageSum,
} from '@toolyard/sdk';
import type { Clock } from '../lib/ports.ts';

const dayMs = 86_400_000;
const defaultDays = 30;
const maxDays = { hour: 8, day: 366 } as const;

export interface UsageReport {
  from: string;
  to: string;
  items: UsageGroup[];
  total: UsageSum;
  rest?: UsageSum;
}

/** `from` and `to` in any form that a date has. */
export type UsageRequest = Omit<UsageQuery, 'from' | 'to'> & {
  from?: string | undefined;
  to?: string | undefined;
};

export type ReadUsage = (asked: UsageRequest) => Promise<UsageReport>;

/** Throws `invalid_request` for a span that is too long, or none. */
export function createReadUsage({ reads, clock }: { reads: StoreReads; clock: Clock }): ReadUsage {
  return async (asked) => {
    const to = asked.to ? Date.parse(asked.to) : clock.now();
    const from = asked.from ? Date.parse(asked.from) : to - defaultDays * dayMs;
    requireSpan(from, to, asked.step);
    const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    const { groups, total } = await reads.usage({ ...asked, ...span });
    const rest = subtract(total, groups);
    return { ...span, items: groups, total, ...(rest.turns > 0 && { rest }) };
  };
}

function requireSpan(from: number, to: number, step: UsageQuery['step']): void {
  const max = maxDays[step];
  if (from < to && to - from <= max * dayMs) return;
  const why = from < to ? `use at most ${max} days with step ${step}` : 'from must be before to';
  throw new ToolyardError('invalid_request', `from, to: ${why}.`, {
    data: { issues: [{ path: 'from', message: why }] },
  });
}

function subtract(total: UsageSum, parts: readonly UsageSum[]): UsageSum {
  const left = (key: Exclude<keyof UsageSum, 'costUsd'>) =>
    parts.reduce((sum, part) => sum - part[key], total[key]);
  const turns = left('turns');
  const unpricedTurns = left('unpricedTurns');
  const cost = parts.reduce((sum, part) => sum - (part.costUsd ?? 0), total.costUsd ?? 0);
  return {
    turns,
    inputTokens: left('inputTokens'),
    outputTokens: left('outputTokens'),
    cacheReadTokens: left('cacheReadTokens'),
    cacheWriteTokens: left('cacheWriteTokens'),
    // What is left of subtracting may be a hair below nothing.
    costUsd: turns > 0 && turns === unpricedTurns ? null : Math.max(0, cost),
    unpricedTurns,
  };
}
