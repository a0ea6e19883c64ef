import type { Event, EventDraft } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { costSoFar } from '../../src/core/turn-cost.ts';

const sessionId = `ses_${'0'.repeat(22)}`;
const turnId = (name: string) => `trn_${name.repeat(22)}`;
const usage = (costUsd: number | null): EventDraft => ({
  type: 'usage',
  data: { inputTokens: 1, outputTokens: 1, costUsd },
});

const log: Event[] = [
  { type: 'user_message', data: { content: 'a', turnId: turnId('a') } },
  { type: 'turn_start', data: { turnId: turnId('a') } },
  usage(1),
  { type: 'turn_start', data: { turnId: turnId('d'), toolCallId: 'beside' } },
  usage(2),
  { type: 'turn_end', data: { turnId: turnId('a'), outcome: 'completed', costUsd: 3 } },
  { type: 'user_message', data: { content: 'b', turnId: turnId('b') } },
  { type: 'turn_start', data: { turnId: turnId('b') } },
  usage(null),
].map((draft, index) => ({ ...draft, sessionId, seq: index + 1, at: '2026-01-01T00:00:00.000Z' }) as Event);

const reads = {
  events: async (_: string, after: number, limit: number) => log.slice(after, after + Math.min(limit, 2)),
};

it.each([
  ['a', 1, 3],
  ['b', 7, null],
  ['d', 0, 0],
] as const)(
  'the turn %s has cost what its own steps did, and a call beside it nothing',
  async (name, seq, cost) => {
    expect(await costSoFar({ reads }, { id: turnId(name), sessionId, seq })).toBe(cost);
  },
);
