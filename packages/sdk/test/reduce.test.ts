import { describe, expect, it } from 'vitest';
import { type Event, type EventDraft, emptyView, reduce } from '../src/index.ts';

const sessionId = `ses_${'0'.repeat(22)}`;
const turnId = `trn_${'0'.repeat(22)}`;
const at = '2026-01-01T00:00:00.000Z';

function toEvents(...drafts: EventDraft[]): Event[] {
  return drafts.map((draft, index) => ({ ...draft, sessionId, at, seq: index + 1 }));
}

const toolTurn = toEvents(
  { type: 'user_message', data: { content: 'ping', turnId } },
  { type: 'session_status', data: { status: 'running' } },
  { type: 'turn_start', data: { turnId } },
  { type: 'thinking_delta', data: { text: 'Hm' } },
  { type: 'thinking_delta', data: { text: 'm.' } },
  { type: 'text_delta', data: { text: 'Call' } },
  { type: 'text_delta', data: { text: 'ing.' } },
  { type: 'tool_call_start', data: { toolCallId: 'a', tool: 'mcp__toolyard__ping' } },
  { type: 'tool_call_delta', data: { toolCallId: 'a', delta: '{' } },
  { type: 'tool_call_delta', data: { toolCallId: 'a', delta: '}' } },
  { type: 'tool_call_end', data: { toolCallId: 'a', input: {} } },
  { type: 'tool_result', data: { toolCallId: 'a', output: { status: 'pong' }, isError: false } },
  { type: 'usage', data: { inputTokens: 10, outputTokens: 5, costUsd: 0.5 } },
  { type: 'raw', data: { engine: 'native', message: {} } },
  { type: 'text_delta', data: { text: 'Done.' } },
  { type: 'turn_end', data: { turnId, outcome: 'completed', costUsd: 0.5 } },
  { type: 'session_status', data: { status: 'idle' } },
);

describe('reduce', () => {
  it('leaves the turn under way where it is when somebody else makes a call beside it', () => {
    const other = `trn_${'1'.repeat(22)}`;
    const events = toEvents(
      { type: 'turn_start', data: { turnId } },
      { type: 'turn_start', data: { turnId: other, toolCallId: 'theirs' } },
      { type: 'tool_call_start', data: { toolCallId: 'theirs', tool: 'mcp__x__y' } },
      { type: 'turn_end', data: { turnId: other, outcome: 'completed', costUsd: 0 } },
      { type: 'turn_end', data: { turnId, outcome: 'completed', costUsd: 0 } },
      { type: 'turn_start', data: { turnId: other, toolCallId: 'alone' } },
      { type: 'turn_end', data: { turnId: other, outcome: 'completed', costUsd: 0 } },
    );
    let view = emptyView;
    const seen = events.map((event) => {
      view = reduce(view, event);
      return [view.status, view.turnId];
    });
    expect(seen).toEqual([
      ['running', turnId],
      ['running', turnId],
      ['running', turnId],
      ['running', turnId],
      ['idle', undefined],
      ['running', undefined],
      ['idle', undefined],
    ]);
  });

  it('turns a tool turn into what a person sees', () => {
    expect(toolTurn.reduce(reduce, emptyView)).toEqual({
      lastSeq: 17,
      status: 'idle',
      items: [
        { kind: 'user', seq: 1, turnId, content: 'ping' },
        { kind: 'thinking', seq: 4, text: 'Hmm.' },
        { kind: 'text', seq: 6, text: 'Calling.' },
        {
          kind: 'tool',
          seq: 8,
          toolCallId: 'a',
          tool: 'mcp__toolyard__ping',
          state: 'done',
          inputText: '{}',
          input: {},
          output: { status: 'pong' },
        },
        { kind: 'text', seq: 15, text: 'Done.' },
        { kind: 'end', seq: 16, turnId, outcome: 'completed' },
      ],
      approvals: [],
      questions: [],
      usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.5 },
    });
  });

  it('shows a running turn as running', () => {
    const view = toolTurn.slice(0, 9).reduce(reduce, emptyView);
    expect(view).toMatchObject({ status: 'running', turnId });
    expect(view.items.at(-1)).toMatchObject({ state: 'writing', inputText: '{' });
  });

  it('ignores an event it has seen', () => {
    const once = toolTurn.reduce(reduce, emptyView);
    expect(toolTurn.reduce(reduce, once)).toBe(once);
  });

  it('never shows an unknown cost as a number', () => {
    const [event] = toEvents({ type: 'usage', data: { inputTokens: 1, outputTokens: 1, costUsd: null } });
    const usage = event && reduce(emptyView, event).usage;
    expect(usage).toEqual({ inputTokens: 1, outputTokens: 1, costUsd: null });
  });

  it('keeps apart a failed call and one whose outcome is unknown', () => {
    const states = [{}, { outcome: 'unknown' as const }].map((extra) => {
      const events = toEvents(
        { type: 'tool_call_start', data: { toolCallId: 'a', tool: 't' } },
        { type: 'tool_result', data: { toolCallId: 'a', output: 'no', isError: true, ...extra } },
      );
      const item = events.reduce(reduce, emptyView).items[0];
      return item?.kind === 'tool' && item.state;
    });
    expect(states).toEqual(['failed', 'unknown']);
  });
});
