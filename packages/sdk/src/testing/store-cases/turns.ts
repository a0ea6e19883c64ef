// Turns and their tool calls: they come back whole and in the order they were made.
import type { ToolCallRow, Turn, TurnHead } from '../../store/store.ts';
import { assertEqual } from '../support/assertions.ts';
import {
  insertSessions,
  rejectionCode,
  type StoreCase,
  sampleTime,
  sampleTurn,
  sessionId,
  turnId,
} from '../support/store-samples.ts';

const later = '2026-11-15T12:00:01.000Z';

async function insertTurns(store: Parameters<typeof insertSessions>[0], turns: Turn[]): Promise<void> {
  await insertSessions(store, 2);
  await store.commit(async (tx) => {
    for (const turn of turns) await tx.insertTurn(turn);
  });
}

export const turnCases: StoreCase[] = [
  {
    title: 'gives a turn back whole and changes only what is patched',
    async play({ store, reopen }) {
      const whole = sampleTurn(2, {
        originTurnId: turnId(1),
        retryOf: turnId(1),
        state: 'failed',
        content: [{ type: 'text', text: 'half \ud83d' }],
        idempotencyKey: '"key"',
        error: { code: 'tool_failed', message: 'It broke.', data: { at: 3 } },
        costUsd: null,
        startedAt: sampleTime,
        endedAt: later,
      });
      await insertTurns(store, [sampleTurn(1), whole]);
      const patch = { state: 'limit', costUsd: 0.5, startedAt: sampleTime, endedAt: later } as const;
      const error = { code: 'step_limit', message: 'Too many steps.' } as const;
      await store.commit(async (tx) => {
        await tx.updateTurn(turnId(1), { ...patch, error });
        await tx.updateTurn(turnId(2), {});
      });
      const { reads } = await reopen();
      const found = [await reads.turn(turnId(1)), await reads.turn(turnId(2)), await reads.turn(turnId(9))];
      assertEqual(found, [{ ...sampleTurn(1), ...patch, error }, whole, undefined], 'the turns');
    },
  },
  {
    title: 'says when a turn to change is not there',
    async play({ store }) {
      const code = await rejectionCode(store.commit((tx) => tx.updateTurn(turnId(9), { state: 'failed' })));
      assertEqual(code, 'not_found', 'the refusal');
    },
  },
  {
    title: 'P18: keeps an idempotency key once per session',
    async play({ store }) {
      const keyed = sampleTurn(1, { idempotencyKey: 'k' });
      const elsewhere = sampleTurn(2, { idempotencyKey: 'k', sessionId: sessionId(2) });
      await insertTurns(store, [keyed, elsewhere, sampleTurn(3), sampleTurn(4)]);
      const twice = store.commit((tx) => tx.insertTurn(sampleTurn(5, { idempotencyKey: 'k' })));
      assertEqual(await rejectionCode(twice), 'storage_failed', 'the refusal');
      const { turnByKey } = store.reads;
      const found = [await turnByKey(sessionId(1), 'k'), await turnByKey(sessionId(2), 'k')];
      assertEqual(found, [keyed, elsewhere], 'the turns with the key');
      assertEqual(await turnByKey(sessionId(1), 'K'), undefined, 'a turn with another key');
    },
  },
  {
    title: 'finds the latest turn, the next queued one, and turns by state, oldest first',
    async play({ store }) {
      const [first, second, third, other] = [
        sampleTurn(1, { state: 'completed' }),
        sampleTurn(2),
        sampleTurn(3),
        sampleTurn(4, { sessionId: sessionId(2), state: 'running' }),
      ];
      await insertTurns(store, [first, second, third, other]);
      const { latestTurn, nextTurn, turnsIn } = store.reads;
      const found = [
        await latestTurn(sessionId(1)),
        await nextTurn(sessionId(1)),
        await nextTurn(sessionId(2)),
      ];
      assertEqual(found, [third, second, undefined], 'the latest and the next');
      assertEqual(await turnsIn(['running', 'queued']), [second, third, other].map(toHead), 'the open turns');
      assertEqual(await turnsIn([]), [], 'turns in no state');
    },
  },
  {
    title: 'finds the open turns of one session, and never takes a direct call for its latest turn',
    async play({ store }) {
      const [ended, running, direct] = [
        sampleTurn(1, { state: 'failed' }),
        sampleTurn(2, { state: 'running' }),
        sampleTurn(3, { state: 'running', content: 'direct', seq: 0 }),
      ];
      const elsewhere = sampleTurn(4, {
        sessionId: sessionId(2),
        content: 'direct',
        seq: 0,
        state: 'running',
      });
      const queued = sampleTurn(5);
      await insertTurns(store, [ended, running, direct, elsewhere]);
      const { latestTurn, openTurns } = store.reads;
      const latest = [await latestTurn(sessionId(1)), await latestTurn(sessionId(2))];
      assertEqual(latest, [running, undefined], 'the latest turns');
      await store.commit((tx) => tx.insertTurn(queued));
      const open = [await openTurns(sessionId(1)), await openTurns(sessionId(2))];
      assertEqual(open, [[running, direct, queued].map(toHead), [toHead(elsewhere)]], 'the open turns');
    },
  },
  {
    title: 'keeps the life of each tool call under its turn and id, in the order of the first mention',
    async play({ store, reopen }) {
      await insertTurns(store, [sampleTurn(1), sampleTurn(2)]);
      const call = (callId: string, rest: Partial<ToolCallRow> = {}): ToolCallRow => ({
        turnId: turnId(1),
        callId,
        sessionId: sessionId(1),
        tool: 'mcp__x__y',
        input: { a: [callId] },
        state: 'started',
        askedAt: sampleTime,
        startedAt: sampleTime,
        ...rest,
      });
      const strange = call('\ud800"', { tool: 'no such\0tool', input: null, state: 'asked' });
      const settled = call('b', {
        state: 'done',
        result: { toolCallId: 'b', tool: 'mcp__x__y', text: '3', output: { sum: 3 }, isError: false },
        endedAt: later,
      });
      await store.commit(async (tx) => {
        for (const row of [call('b'), call('a'), strange]) await tx.putToolCall(row);
        await tx.putToolCall(call('b', { turnId: turnId(2) }));
      });
      await store.commit((tx) => tx.putToolCall(settled));
      const { reads } = await reopen();
      assertEqual(await reads.toolCalls(turnId(1)), [settled, call('a'), strange], 'the calls of turn 1');
      assertEqual(
        await reads.toolCalls(turnId(2)),
        [call('b', { turnId: turnId(2) })],
        'the calls of turn 2',
      );
    },
  },
];

function toHead({ content: _, ...head }: Turn): TurnHead {
  return head;
}
