import { describe, expect, it } from 'vitest';
import { createTurnFilter, type Event, type EventDraft } from '../../src/index.ts';

const id = (prefix: string, name: string) => `${prefix}_${name.repeat(22)}`;
const [own, other] = [id('trn', 'a'), id('trn', 'b')];
const [sessionId, agentSessionId] = [id('ses', '0'), id('ses', '1')];
const start: EventDraft = { type: 'turn_start', data: { turnId: own } };
const directStart: EventDraft = { type: 'turn_start', data: { turnId: other, toolCallId: 'theirs' } };

/** As much of an approval as the filter looks at. */
function asked(turnId: string, toolCallId: string, name: string, session = sessionId): EventDraft {
  const approval = { id: id('apr', name), sessionId: session, turnId, toolCallId };
  return { type: 'approval_required', data: { approval } } as unknown as EventDraft;
}

const denied = (name: string): EventDraft => ({
  type: 'approval_resolved',
  data: { approvalId: id('apr', name), state: 'denied' },
});

/** As much of a question as the filter looks at. */
function question(turnId: string, name: string, more: object = {}): EventDraft {
  const data = { question: { id: id('qst', name), sessionId, turnId, ...more } };
  return { type: 'question_required', data } as unknown as EventDraft;
}

const answered = (name: string): EventDraft => ({
  type: 'question_resolved',
  data: { questionId: id('qst', name), state: 'answered', answer: 'yes' },
});

function grantUsed(toolCallId: string): EventDraft {
  return { type: 'grant_used', data: { toolCallId, grantId: id('grt', 'a'), scope: 'session' } };
}

/** Checks the filter's answer to each event of a log. */
function expectOwn(turnId: string, script: [boolean, EventDraft][]): void {
  const isOwn = createTurnFilter(turnId);
  const at = '2026-01-01T00:00:00.000Z';
  const events = script.map(([, draft], index): Event => ({ ...draft, sessionId, seq: index + 1, at }));
  expect(events.map((event) => [isOwn(event), event.type])).toEqual(
    script.map(([is, { type }]) => [is, type]),
  );
}

describe('the filter of a turn', () => {
  it('tells the events of a turn from those before, after and beside it', () => {
    expectOwn(own, [
      [true, { type: 'user_message', data: { content: 'mine', turnId: own } }],
      [false, { type: 'text_delta', data: { text: 'an earlier turn' } }],
      [false, denied('e')],
      [false, { type: 'turn_end', data: { turnId: id('trn', 'c'), outcome: 'completed', costUsd: 0 } }],
      [true, start],
      [true, { type: 'tool_call_start', data: { toolCallId: 'mine', tool: 'mcp__x__y' } }],
      [true, asked(own, 'mine', 'a')],
      [false, directStart],
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
    ]);
  });

  it('leaves out the grant that a call of another caller uses', () => {
    expectOwn(own, [
      [true, start],
      [false, directStart],
      [false, grantUsed('theirs')],
      [true, grantUsed('mine')],
    ]);
  });

  it('leaves out what a call of another caller asks', () => {
    expectOwn(own, [
      [true, start],
      [false, directStart],
      [false, question(other, 'b', { toolCallId: 'theirs' })],
      [true, question(own, 'a')],
      [false, answered('b')],
      [true, answered('a')],
    ]);
  });

  it('leaves out an approval of another turn whose call was begun before the log was read', () => {
    expectOwn(own, [
      [true, start],
      [false, asked(other, 'theirs', 'b')],
      [false, denied('b')],
    ]);
  });

  it('keeps what agents under the session ask, and whoever asks about a limit', () => {
    const limit = { runId: own, limit: 'maxAgents', max: 1, raise: { by: 1, from: {} } };
    expectOwn(own, [
      [false, question(id('trn', 'e'), 'e', { sessionId: agentSessionId })],
      [true, start],
      [true, asked(id('trn', 'e'), 'below', 'a', agentSessionId)],
      [true, question(id('trn', 'e'), 'b', { sessionId: agentSessionId })],
      [false, directStart],
      [true, question(other, 'c', { limit })],
      [true, denied('a')],
      [true, answered('b')],
      [true, answered('c')],
    ]);
  });

  it('keeps the events of a call that is a turn of its own', () => {
    expectOwn(other, [
      [false, start],
      [true, directStart],
      [true, { type: 'tool_call_start', data: { toolCallId: 'theirs', tool: 'mcp__x__y' } }],
      [true, grantUsed('theirs')],
      [false, { type: 'tool_call_start', data: { toolCallId: 'mine', tool: 'mcp__x__y' } }],
      [false, { type: 'text_delta', data: { text: 'of the other turn' } }],
      [true, { type: 'tool_result', data: { toolCallId: 'theirs', output: 1, isError: false } }],
      [true, { type: 'turn_end', data: { turnId: other, outcome: 'completed', costUsd: 0 } }],
    ]);
  });
});
