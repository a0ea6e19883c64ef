import { describe, expect, it } from 'vitest';
import { type Approval, type Event, type EventDraft, emptyView, reduce } from '../../src/index.ts';

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
      agents: {},
      status: 'idle',
      items: [
        { kind: 'user', seq: 1, at, turnId, content: 'ping' },
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
          since: at,
          tookMs: 0,
          calledSeq: 11,
          endSeq: 12,
        },
        { kind: 'text', seq: 15, text: 'Done.' },
        {
          kind: 'end',
          seq: 16,
          turnId,
          outcome: 'completed',
          costUsd: 0.5,
          usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.5 },
          tookMs: 0,
        },
      ],
      queued: [],
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

  it('what is known of an unknown cost stays so, and a step that nobody counted is told', () => {
    const view = toEvents(
      { type: 'usage', data: { inputTokens: 10, outputTokens: 5, costUsd: 0.5 } },
      { type: 'usage', data: { inputTokens: 0, outputTokens: 0, costUsd: null, estimatedUsd: 0.1 } },
      { type: 'usage', data: { inputTokens: 10, outputTokens: 5, costUsd: 0.25 } },
    ).reduce(reduce, emptyView);
    expect(view.usage).toEqual({
      inputTokens: 20,
      outputTokens: 10,
      costUsd: null,
      knownUsd: 0.75,
      isUncounted: true,
    });
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

  it('lets a message that was sent meanwhile wait, and puts it where its turn begins', () => {
    const next = `trn_${'1'.repeat(22)}`;
    const events = toEvents(
      { type: 'user_message', data: { content: 'one', turnId } },
      { type: 'turn_start', data: { turnId } },
      { type: 'user_message', data: { content: 'two', turnId: next } },
      { type: 'text_delta', data: { text: 'First.' } },
      { type: 'turn_end', data: { turnId, outcome: 'completed', costUsd: null } },
      { type: 'turn_start', data: { turnId: next } },
    );
    const views = events.map((_, index) => events.slice(0, index + 1).reduce(reduce, emptyView));
    const two = { kind: 'user', seq: 3, at, turnId: next, content: 'two' };
    expect(views.map(({ queued }) => queued)).toEqual([[], [], [two], [two], [two], []]);
    expect(views.at(-1)?.items.map(({ kind }) => kind)).toEqual(['user', 'text', 'end', 'user']);
    expect(views.at(-1)?.items.at(-1)).toEqual(two);
  });

  it('shows a queued message whose turn ended before it began', () => {
    const next = `trn_${'1'.repeat(22)}`;
    const events = toEvents(
      { type: 'turn_start', data: { turnId } },
      { type: 'user_message', data: { content: 'two', turnId: next } },
      { type: 'turn_end', data: { turnId: next, outcome: 'failed', costUsd: null } },
    );
    const view = events.reduce(reduce, emptyView);
    expect([view.queued, view.turnId]).toEqual([[], turnId]);
    expect(view.items.map(({ kind }) => kind)).toEqual(['user', 'end']);
  });

  it('tells at the call what a person was asked, who answered, and how long it took after that', () => {
    const id = `apr_${'0'.repeat(22)}`;
    const approval: Approval = {
      id,
      sessionId,
      rootSessionId: sessionId,
      turnId,
      toolCallId: 'a',
      tool: 't',
      effect: 'read',
      risk: 'low',
      input: {},
      inputHash: '',
      schemaHash: '',
      grantKey: 't',
      rule: '',
      state: 'pending',
      lineage: { rootSessionId: sessionId, depth: 0 },
      createdAt: at,
      expiresAt: null,
      unattended: 'deny',
    };
    const decidedBy = { kind: 'person', id: 'owner', via: 'web' } as const;
    const events = toEvents(
      { type: 'turn_start', data: { turnId } },
      { type: 'tool_call_start', data: { toolCallId: 'a', tool: 't' } },
      { type: 'tool_call_end', data: { toolCallId: 'a', input: {} } },
      { type: 'approval_required', data: { approval } },
      { type: 'approval_resolved', data: { approvalId: id, state: 'allowed', scope: 'once', decidedBy } },
      { type: 'tool_result', data: { toolCallId: 'a', output: 1, isError: false } },
    ).map((event) => ({ ...event, at: new Date(Date.parse(at) + event.seq * 1_000).toISOString() }));
    const views = events.map((_, index) => events.slice(0, index + 1).reduce(reduce, emptyView));
    expect(views[3]).toMatchObject({ status: 'waiting', approvals: [approval] });
    expect(views[3]?.items[0]).toMatchObject({ approval: { id, state: 'pending' } });
    expect(views[5]).toMatchObject({ status: 'running', approvals: [] });
    expect(views[5]?.items[0]).toMatchObject({
      approval: { id, state: 'allowed', scope: 'once', decidedBy },
      tookMs: 1_000,
    });
  });

  it('follows a mode that was changed', () => {
    const [event] = toEvents({ type: 'session_status', data: { status: 'idle', mode: 'plan' } });
    expect(event && reduce(emptyView, event)).toEqual({ ...emptyView, lastSeq: 1, mode: 'plan' });
  });
});
