// The one switch of the long loops: they are short by default and whole with TOOLYARD_SOAK=full. Each file that asks
// here is in scripts/runner/long-loops.ts.

export const isFullSoak = parseSoak(process.env.TOOLYARD_SOAK);

/** How often a test repeats itself. */
export function rounds({ short, full }: { short: number; full: number }): number {
  return isFullSoak ? full : short;
}

function parseSoak(value: string | undefined): boolean {
  if (value === undefined || value === '') return false;
  if (value === 'full') return true;
  throw new Error(`TOOLYARD_SOAK is "full" or not set, and not "${value}".`);
}
