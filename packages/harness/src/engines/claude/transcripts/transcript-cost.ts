// What the CLI will count on from when it resumes a session: the total that was noted last in its transcript, by
// whichever process ended last.
import { z } from 'zod';
import { openRegularFile } from '../../../untrusted-files/untrusted-files.ts';
import { readLines } from './transcript-lines.ts';

/** It is noted when a process ends, so it mostly lies near the end. */
const firstBytes = 256 * 1024;
const growth = 16;

const CostState = z.object({
  type: z.literal('cost-state'),
  /** A transcript may hold what was said in the session that it was forked from. */
  sessionId: z.string(),
  totalCostUSD: z.number().nonnegative(),
});

/** What each turn has cost, from the totals that the CLI gives. */
export function createMeter() {
  let before = 0;
  return {
    /** A process begins, with what is in a transcript or with nothing. */
    async begin(path: string | undefined, token: string | undefined): Promise<void> {
      before = path && token ? await readTotalCost(path, token) : 0;
    },
    /** A turn has ended. */
    charge(total: number | undefined): { costUsd?: number } {
      if (total === undefined) return {};
      const costUsd = Math.max(0, total - before);
      before = total;
      return { costUsd };
    },
  };
}

/** In USD; nothing noted counts as nothing spent, as it does for the CLI. */
async function readTotalCost(path: string, token: string): Promise<number> {
  await using file = await openRegularFile(path);
  const { size } = await file.stat();
  const { signal } = new AbortController();
  for (let length = firstBytes; ; length *= growth) {
    const from = Math.max(0, size - length);
    let total: number | undefined;
    for await (const { lines } of readLines(file, { from, to: size, signal })) {
      for (const { text } of lines) total = totalIn(text, token) ?? total;
    }
    if (total !== undefined || from === 0) return total ?? 0;
  }
}

function totalIn(line: string | undefined, token: string): number | undefined {
  if (!line?.includes('"cost-state"')) return undefined;
  try {
    const { data } = CostState.safeParse(JSON.parse(line));
    return data?.sessionId === token ? data.totalCostUSD : undefined;
  } catch {
    // Torn, or only its end was read.
    return undefined;
  }
}
