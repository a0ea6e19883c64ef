// Numbers from samples. The middle and the tail, never the mean: one pause of the machine would move it.

export interface Summary {
  median: number;
  p99: number;
  count: number;
}

export function summarize(samples: readonly number[]): Summary {
  const sorted = [...samples].sort((a, b) => a - b);
  return { median: at(sorted, 0.5), p99: at(sorted, 0.99), count: sorted.length };
}

export function median(samples: readonly number[]): number {
  return summarize(samples).median;
}

/** The nearest sample at or above this share of all. */
function at(sorted: readonly number[], share: number): number {
  const index = Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1);
  return sorted[Math.max(0, index)] ?? Number.NaN;
}

export function toMs(ms: number): string {
  return `${ms < 100 ? ms.toFixed(2) : ms.toFixed(0)} ms`;
}

export function toSpread({ median, p99 }: Summary): string {
  return `${toMs(median)} (p99 ${toMs(p99)})`;
}

export function toRate(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString('en-US')}/s`;
}
