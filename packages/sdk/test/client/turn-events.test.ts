import { expect, it } from 'vitest';
import { createTurnFilter, type Event, type EventDraft } from '../../src/index.ts';

const id = (prefix: string, name: string) => `${prefix}_${name.repeat(22)}`;
const [own, other] = [id('trn', 'a'), id('trn', 'b')];

/** As much of an approval as the filter looks at. */
function asked(turnId: string, toolCallId: string, name: string): EventDraft {
  const approval = { id: id('apr', name), turnId, toolCallId };
  return { type: 'approval_required', data: { approval } } as unknown as EventDraft;
}

const denied = (name: string): EventDraft => ({
  type: 'approval_resolved',
  data: { approvalId: id('apr', name), state: 'denied' },
});

const script: [boolean, EventDraft][] = [
  [true, { type: 'user_message', data: { content: 'mine', turnId: own } }],
  [false, { type: 'text_delta', data: { text: 'an earlier turn' } }],
  [false, denied('e')],
  [false, { type: 'turn_end', data: { turnId: id('trn', 'c'), outcome: 'completed', costUsd: 0 } }],
  [true, { type: 'turn_start', data: { turnId: own } }],
  [true, { type: 'tool_call_start', data: { toolCallId: 'mine', tool: 'mcp__x__y' } }],
  [true, asked(own, 'mine', 'a')],
  [false, { type: 'turn_start', data: { turnId: other, toolCallId: 'theirs' } }],
  [false, { type: 'tool_call_start', data: { toolCallId: 'theirs', tool: 'mcp__x__y' } }],
  [false, { type: 'tool_call_end', data: { toolCallId: 'theirs', input: {} } }],
  [false, asked(other, 'theirs', 'b')],
  [true, { type: 'session_status', data: { status: 'waiting' } }],
  [false, denied('b')],
  // Of a call that was made before this log began to be read.
  [false, denied('f')],
  [false, { type: 'tool_progress', data: { toolCallId: 'theirs', done: 1 } }],
  [false, { type: 'tool_result', data: { toolCallId: 'theirs', output: 1, isError: false } }],
  [false, { type: 'turn_end', data: { turnId: other, outcome: 'completed', costUsd: 0 } }],
  [true, denied('a')],
  [true, { type: 'tool_result', data: { toolCallId: 'mine', output: 1, isError: false } }],
  [true, { type: 'text_delta', data: { text: 'mine' } }],
  [true, { type: 'turn_end', data: { turnId: own, outcome: 'completed', costUsd: 0 } }],
  [false, { type: 'turn_start', data: { turnId: id('trn', 'd') } }],
  [false, { type: 'text_delta', data: { text: 'a later turn' } }],
];

it('tells the events of a turn from those before, after and beside it', () => {
  const isOwn = createTurnFilter(own);
  const at = '2026-01-01T00:00:00.000Z';
  const events = script.map(
    ([, draft], index): Event => ({ ...draft, sessionId: id('ses', '0'), seq: index + 1, at }),
  );
  expect(events.map((event) => [isOwn(event), event.type])).toEqual(
    script.map(([is, { type }]) => [is, type]),
  );
});
