// A home as a month of work would leave it: what models used, written before the server starts.
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { TurnUsage } from '@toolyard/sdk';
import { createIds } from '../../packages/harness/src/core/lib/ids.ts';
import { openStore } from '../../packages/harness/src/store/open.ts';

const clock = { now: () => Date.now() };
const day = 86_400_000;
const shares = [
  { role: 'developer', model: 'anthropic/claude-sonnet-5', weight: 1 },
  { role: 'reviewer', model: 'anthropic/claude-opus-5', weight: 0.55 },
  { role: 'assistant', model: 'anthropic/claude-haiku-5', weight: 0.2 },
];

/** The same each time: the pictures change only when the page does. */
export async function writeUsage(home: string): Promise<void> {
  const newId = createIds(clock);
  const owner = { pid: process.pid, host: hostname() };
  const store = await openStore({ path: join(home, 'toolyard.db'), clock, owner });
  const turns = Array.from({ length: 30 }, (_, ago) => shares.map((share, at) => toUsage(share, ago, at)));
  for (const turn of turns.flat())
    await store.commit((tx) => tx.putUsage({ ...turn, turnId: newId('trn'), sessionId: newId('ses') }));
  await store.close();
}

function toUsage(
  share: (typeof shares)[number],
  ago: number,
  at: number,
): Omit<TurnUsage, 'turnId' | 'sessionId'> {
  const { weight, ...who } = share;
  const isWeekend = [0, 6].includes(new Date(Date.now() - ago * day).getDay());
  const swing = 0.6 + 0.4 * Math.sin(ago * 1.7 + at * 2.1);
  const size = Math.round(240_000 * weight * swing * (isWeekend ? 0.15 : 1));
  return {
    ...who,
    endedAt: new Date(Date.now() - ago * day - 3_600_000).toISOString(),
    inputTokens: size,
    outputTokens: Math.round(size / 9),
    cacheReadTokens: Math.round(size * 0.7),
    cacheWriteTokens: Math.round(size * 0.05),
    costUsd: Math.round(size * (1 + at) * 1.4) / 1_000_000,
  };
}
