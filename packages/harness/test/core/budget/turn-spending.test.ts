import type { Event, EventDraft } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { spentSoFar, toCounted, type UncountedStep } from '../../../src/core/budget/turn-spending.ts';

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

/** A turn of two steps, with two calls in between. */
const steps: Event[] = [
  { type: 'user_message', data: { content: 'a', turnId: turnId('a') } },
  { type: 'turn_start', data: { turnId: turnId('a') } },
  { type: 'tool_call_start', data: { toolCallId: '1', tool: 'x' } },
  { type: 'tool_call_start', data: { toolCallId: '2', tool: 'x' } },
  usage(1),
  { type: 'tool_result', data: { toolCallId: '1', tool: 'x', text: '', isError: false } },
  { type: 'tool_result', data: { toolCallId: '2', tool: 'x', text: '', isError: false } },
  { type: 'text_delta', data: { text: 'So' } },
  usage(1),
].map((draft, index) => ({ ...draft, sessionId, seq: index + 1, at: '2026-01-01T00:00:00.000Z' }) as Event);

it.each([
  [2, null, 'in its first step'],
  [5, 1, 'with its calls under way'],
  [6, 1, 'with one of them under way'],
  [7, null, 'in its second step'],
  [8, null, 'as it was answered'],
  [9, 2, 'after its last step'],
])('a turn whose log ends at %i has spent %s: it was cut off %s', async (length, costUsd, _) => {
  const cut = steps.slice(0, length);
  const of = { reads: { events: async (_: string, after: number) => cut.slice(after) } };
  const turn = { id: turnId('a'), sessionId, seq: 1 };
  const counted = { costUsd: null, chargedUsd: 0.25 };
  const spent = await spentSoFar(of, turn, () => counted);
  const known = (await spentSoFar(of, turn)).costUsd ?? Number.NaN;
  expect([spent.costUsd, spent.chargedUsd]).toEqual([costUsd, costUsd ?? known + 0.25]);
});

const reads = {
  events: async (_: string, after: number, limit: number) => log.slice(after, after + Math.min(limit, 2)),
};

it.each([
  ['a', 1, 2, 3],
  ['b', 7, 1, null],
  ['d', 0, 0, 0],
] as const)(
  'the turn %s has spent what its own steps did, and a call beside it nothing',
  async (name, seq, steps, costUsd) => {
    expect(await spentSoFar({ reads }, { id: turnId(name), sessionId, seq })).toEqual({
      inputTokens: steps,
      outputTokens: steps,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      costUsd,
      chargedUsd: costUsd ?? 0,
    });
  },
);

it('what a step is charged with that was cut off goes by what it was sent and has said', async () => {
  const of = { reads: { events: async (_: string, after: number) => steps.slice(after, 8) } };
  const seen: UncountedStep[] = [];
  const count = (step: UncountedStep) => {
    seen.push(step);
    return { costUsd: null, chargedUsd: 0.25 };
  };
  const spent = await spentSoFar(of, { id: turnId('a'), sessionId, seq: 1 }, count);
  expect(seen).toEqual([{ inputTokens: 2, outputTokens: 1, lastUsd: 1 }]);
  expect(spent.uncharged).toEqual({ usd: 0.25, tokens: 3 });
});

it.each([
  ['a fraction', { inputTokens: 10.5, outputTokens: 1.5 }, { inputTokens: 11, outputTokens: 2 }],
  ['too much', { inputTokens: 1e300, outputTokens: 2 }, { inputTokens: 0, outputTokens: 0 }],
  ['less than nothing', { inputTokens: 4, outputTokens: -5 }, { inputTokens: 0, outputTokens: 0 }],
  ['no number', { inputTokens: Number.NaN, outputTokens: 1 }, { inputTokens: 0, outputTokens: 0 }],
  [
    'a cache that is none',
    { inputTokens: 4, outputTokens: 1, cacheReadTokens: -1, cacheWriteTokens: 0.5 },
    { inputTokens: 4, outputTokens: 1, cacheWriteTokens: 1 },
  ],
])('of what a provider counted, %s is made a count or none', async (_, usage, counted) => {
  expect(toCounted(usage)).toEqual(counted);
  // As it lies in logs of before.
  const data = { ...usage, costUsd: null };
  const [begun, started] = log;
  const old = [begun, started, { ...log[2], data }] as Event[];
  const of = { reads: { events: async (_: string, after: number) => old.slice(after) } };
  expect(await spentSoFar(of, { id: turnId('a'), sessionId, seq: 1 })).toMatchObject(counted);
});
