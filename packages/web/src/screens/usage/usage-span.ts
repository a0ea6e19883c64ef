// A range of time with all the moments that a chart of it has, and what was used in each. Pure.
import type { UsageBy, UsageGroup, UsagePoint, UsageSum } from '@toolyard/sdk';
import type { Range } from '../../navigation/search-params.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const lengths = { '24h': 1, '7d': 7, '30d': 30, '90d': 90 } as const satisfies Record<Range, number>;

export interface Span {
  /** Of the first moment; whole hours or days by the clock of this machine. */
  from: Date;
  to: Date;
  step: 'hour' | 'day';
  /** Every moment, as the server names it. */
  moments: string[];
}

/** The last 24 hours, or whole days up to and with today. */
export function toSpan(range: Range, now: Date): Span {
  const step = range === '24h' ? 'hour' : 'day';
  const to = new Date(now);
  if (step === 'hour') to.setMinutes(60, 0, 0);
  else to.setHours(24, 0, 0, 0);
  const from = new Date(to);
  if (step === 'hour') from.setTime(to.getTime() - dayMs);
  else from.setDate(from.getDate() - lengths[range]);
  const moments: string[] = [];
  for (
    const at = new Date(from);
    at < to;
    step === 'hour' ? at.setHours(at.getHours() + 1) : at.setDate(at.getDate() + 1)
  ) {
    moments.push(toMoment(at, step));
  }
  return { from, to, step, moments };
}

function toMoment(at: Date, step: Span['step']): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return step === 'hour' ? `${day}T${two(at.getHours())}:00` : day;
}

export interface Series {
  key: string;
  name: string;
  sum: UsageSum;
  points: Map<string, UsagePoint>;
}

export function toSeries(by: UsageBy, items: readonly UsageGroup[]): Series[] {
  return items.map(({ key, title, points, ...sum }) => ({
    key,
    sum,
    name: by === 'session' ? (key === '' ? 'Deleted sessions' : (title ?? key)) : key,
    points: new Map(points.map((point) => [point.at, point])),
  }));
}

export type Measure = 'cost' | 'tokens';

/** What a chart draws. A cost that is not known draws nothing, and is said in words. */
export function toAmount(sum: UsageSum, measure: Measure): number {
  return measure === 'cost' ? (sum.costUsd ?? 0) : sum.inputTokens + sum.outputTokens;
}
