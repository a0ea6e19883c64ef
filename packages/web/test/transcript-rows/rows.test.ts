import { type Event, type EventDraft, emptyView, reduce } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { toAnswer } from '../../src/transcript/turn-answer.ts';
import { createRowMaker } from '../../src/transcript-rows/rows.ts';

const sessionId = `ses_${'0'.repeat(22)}`;
const [turnId, next] = [`trn_${'0'.repeat(22)}`, `trn_${'1'.repeat(22)}`];
const at = '2026-01-01T00:00:00.000Z';

function toEvents(...drafts: EventDraft[]): Event[] {
  return drafts.map((draft, index) => ({ ...draft, sessionId, at, seq: index + 1 }));
}

function call(toolCallId: string): EventDraft[] {
  return [
    { type: 'tool_call_start', data: { toolCallId, tool: 'mcp__lab__look' } },
    { type: 'tool_call_end', data: { toolCallId, input: {} } },
  ];
}

const result = (toolCallId: string): EventDraft => ({
  type: 'tool_result',
  data: { toolCallId, output: {}, isError: false },
});

const begin: EventDraft[] = [
  { type: 'user_message', data: { content: 'go', turnId } },
  { type: 'turn_start', data: { turnId } },
];

function toView(...drafts: EventDraft[]) {
  return toEvents(...drafts).reduce(reduce, emptyView);
}

function toKinds(...drafts: EventDraft[]): string[] {
  const rows = createRowMaker().toRows(toView(...drafts), []);
  return rows.map((row) => (row.kind === 'tools' ? `tools ${row.items.length}` : row.kind));
}

describe('rows of a transcript', () => {
  it('put calls side by side that ran at once, and no others', () => {
    const atOnce = [...call('a'), ...call('b'), result('b'), result('a')];
    const after = [...call('c'), result('c'), ...call('d')];
    expect(toKinds(...begin, ...atOnce, ...after)).toEqual(['user', 'tools 2', 'tools 1', 'tools 1']);
  });

  it('say that it works while nothing else shows it', () => {
    expect(toKinds(...begin)).toEqual(['user', 'working']);
    expect(toKinds(...begin, ...call('a'), result('a'))).toEqual(['user', 'tools 1', 'working']);
    expect(toKinds(...begin, { type: 'text_delta', data: { text: 'Hi' } })).toEqual(['user', 'text']);
  });

  it('end with what waits to be heard', () => {
    const queued: EventDraft = { type: 'user_message', data: { content: 'later', turnId: next } };
    const rows = createRowMaker().toRows(toView(...begin, queued), [
      { key: 'k', content: 'on its way' },
      { key: 'l', content: 'in the log by now', seq: 2 },
    ]);
    expect(rows.map(({ kind }) => kind)).toEqual(['user', 'working', 'queued', 'outgoing']);
  });

  it('say an error once, and name what they do not know', () => {
    const error = { code: 'provider_failed', message: 'No.' } as const;
    const drafts: EventDraft[] = [
      ...begin,
      { type: 'raw', data: { engine: 'unknown', message: { type: 'hologram' } } },
      { type: 'error', data: error },
      { type: 'turn_end', data: { turnId, outcome: 'failed', error, costUsd: 0 } },
    ];
    expect(toKinds(...drafts)).toEqual(['user', 'unknown', 'end']);
  });

  it('stay the same ones when nothing about them has changed', () => {
    const drafts: EventDraft[] = [...begin, ...call('a'), result('a')];
    const text: EventDraft[] = ['One.\n\n', 'Two.'].map((each) => ({
      type: 'text_delta',
      data: { text: each },
    }));
    const views = toEvents(...drafts, ...text);
    const first = views.slice(0, -1).reduce(reduce, emptyView);
    const second = views.slice(-1).reduce(reduce, first);
    const kept = createRowMaker();
    const rows = [kept.toRows(first, []), kept.toRows(second, [])] as const;
    expect(rows[1].slice(0, 2).every((row, index) => row === rows[0][index])).toBe(true);
  });

  it('cut a long answer into several rows', () => {
    const text = Array.from({ length: 30 }, (_, index) => `Paragraph ${index}.`).join('\n\n');
    expect(toKinds(...begin, { type: 'text_delta', data: { text } }).length).toBeGreaterThan(3);
  });

  it('ask about the calls of other sessions at the end', () => {
    const approval = { id: 'x', toolCallId: 'elsewhere', state: 'pending' };
    const view = { ...toView(...begin), approvals: [approval] };
    // Only what a row looks at.
    const rows = createRowMaker().toRows(view as never, []);
    expect(rows.map(({ kind }) => kind)).toEqual(['user', 'approval', 'working']);
  });
});

describe('the answer of a turn', () => {
  it('is all it said, without what was done', () => {
    const view = toView(
      ...begin,
      { type: 'text_delta', data: { text: 'One. ' } },
      ...call('a'),
      result('a'),
      { type: 'text_delta', data: { text: 'Two.' } },
      { type: 'turn_end', data: { turnId, outcome: 'completed', costUsd: 0 } },
    );
    expect(toAnswer(view, view.lastSeq)).toBe('One.\n\nTwo.');
  });
});
