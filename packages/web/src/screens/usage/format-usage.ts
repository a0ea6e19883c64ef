// Numbers of usage in words. Unknown is never shown as zero, and a rehearsal is free.
import type { UsageSum } from '@toolyard/sdk';
import { toMoney } from '../../parts/amounts.tsx';
import type { Measure } from './usage-span.ts';

export function toCount(number: number): string {
  if (number < 1_000) return String(number);
  if (number < 1_000_000) return `${trim(number / 1_000)}k`;
  return number < 1_000_000_000 ? `${trim(number / 1_000_000)}M` : `${trim(number / 1_000_000_000)}B`;
}

function trim(number: number): string {
  return number >= 100 ? String(Math.round(number)) : number.toFixed(1).replace(/\.0$/, '');
}

/** `$1.20`, `free`, `unknown`, `$1.20 + unknown`, `–` when nothing was used. */
export function formatCost({ costUsd, turns, unpricedTurns }: UsageSum): string {
  if (turns === 0) return '–';
  if (costUsd === null) return 'unknown';
  const known = costUsd === 0 ? 'free' : toMoney(costUsd);
  if (unpricedTurns === 0) return known;
  return costUsd === 0 ? 'unknown' : `${known} + unknown`;
}

export function formatAmount(sum: UsageSum, measure: Measure): string {
  return measure === 'cost' ? formatCost(sum) : `${toCount(sum.inputTokens + sum.outputTokens)} tokens`;
}

/** The end of a scale: a round number at or above the largest amount. */
export function toCeiling(largest: number): number {
  if (largest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(largest));
  const steps = [1, 2, 2.5, 5, 10];
  return (steps.find((step) => step * power >= largest) ?? 10) * power;
}

/** `15 Nov`, `14:00` for an axis. */
export function toAxisLabel(moment: string): string {
  if (moment.includes('T')) return moment.slice(11);
  return new Date(`${moment}T12:00`).toLocaleDateString(undefined, { day: 'numeric', month: 'short' });
}

/** `Sunday, 15 November`, with the hour. */
export function toLongMoment(moment: string): string {
  const day = new Date(`${moment.slice(0, 10)}T12:00`);
  const words = day.toLocaleDateString(undefined, { weekday: 'short', day: 'numeric', month: 'short' });
  return moment.includes('T') ? `${words}, ${moment.slice(11)}` : words;
}
