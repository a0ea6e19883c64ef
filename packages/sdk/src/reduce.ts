// Events in, what a person sees out. Pure; the web page and the terminal share it and keep no state of their own.
import type { Approval } from './protocol/approval.ts';
import type { Content } from './protocol/content.ts';
import type { Failure } from './protocol/error.ts';
import type { Event, EventData, TurnEnd } from './protocol/event.ts';
import type { Question } from './protocol/question.ts';
import type { SessionStatus } from './protocol/session.ts';

export type TranscriptItem =
  | { kind: 'user'; seq: number; turnId: string; content: Content }
  | { kind: 'text'; seq: number; text: string }
  | { kind: 'thinking'; seq: number; text: string }
  | ToolItem
  | { kind: 'error'; seq: number; error: Failure }
  | { kind: 'end'; seq: number; turnId: string; outcome: TurnEnd; error?: Failure };

export interface ToolItem {
  kind: 'tool';
  seq: number;
  toolCallId: string;
  tool: string;
  state: 'writing' | 'called' | 'done' | 'failed' | 'unknown';
  /** The input as it streams; whole once `state` is past `writing`. */
  inputText: string;
  input?: unknown;
  output?: unknown;
  progress?: EventData<'tool_progress'>;
}

export interface SessionView {
  lastSeq: number;
  status: SessionStatus;
  /** The turn under way. */
  turnId?: string;
  items: readonly TranscriptItem[];
  /** What a person is being asked. */
  approvals: readonly Approval[];
  questions: readonly Question[];
  usage: { inputTokens: number; outputTokens: number; costUsd: number | null };
}

export const emptyView: SessionView = {
  lastSeq: 0,
  status: 'idle',
  items: [],
  approvals: [],
  questions: [],
  usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
};

/** Adds one event. An event already seen changes nothing, so a reader may resume a little early. */
export function reduce(view: SessionView, event: Event): SessionView {
  if (event.seq <= view.lastSeq) return view;
  return { ...apply(view, event), lastSeq: event.seq };
}

function apply(view: SessionView, event: Event): SessionView {
  const { seq } = event;
  switch (event.type) {
    case 'user_message':
      return add(view, { kind: 'user', seq, ...event.data });
    case 'turn_start':
      return startTurn(view, event);
    case 'text_delta':
      return addText(view, 'text', seq, event.data.text);
    case 'thinking_delta':
      return addText(view, 'thinking', seq, event.data.text);
    case 'tool_call_start':
      return add(view, { kind: 'tool', seq, state: 'writing', inputText: '', ...event.data });
    case 'tool_call_delta':
      return changeTool(view, event.data.toolCallId, (item) => ({
        inputText: item.inputText + event.data.delta,
      }));
    case 'tool_call_end':
      return changeTool(view, event.data.toolCallId, () => ({ state: 'called', input: event.data.input }));
    case 'tool_result':
      return changeTool(view, event.data.toolCallId, () => ({
        state: toState(event.data),
        output: event.data.output,
      }));
    case 'usage':
      return { ...view, usage: addUsage(view.usage, event.data) };
    case 'session_status':
      return { ...view, status: event.data.status };
    case 'error':
      return add(view, { kind: 'error', seq, error: event.data });
    case 'turn_end':
      return endTurn(view, event);
    case 'approval_required':
      return { ...view, status: 'waiting', approvals: [...view.approvals, event.data.approval] };
    case 'approval_resolved':
      return resolved({
        ...view,
        approvals: view.approvals.filter(({ id }) => id !== event.data.approvalId),
      });
    case 'question_required':
      return { ...view, status: 'waiting', questions: [...view.questions, event.data.question] };
    case 'question_resolved':
      return resolved({
        ...view,
        questions: view.questions.filter(({ id }) => id !== event.data.questionId),
      });
    case 'tool_progress':
      return changeTool(view, event.data.toolCallId, () => ({ progress: event.data }));
    case 'raw':
      return view;
  }
}

/** A call that somebody else makes runs beside the turn under way. */
function startTurn(view: SessionView, { data: { turnId, toolCallId } }: Event<'turn_start'>): SessionView {
  const status = isAsked(view) ? 'waiting' : 'running';
  return toolCallId === undefined ? { ...view, status: 'running', turnId } : { ...view, status };
}

/** Once nobody has to be asked any more, the turn goes on. */
function resolved(view: SessionView): SessionView {
  return { ...view, status: isAsked(view) || !view.turnId ? view.status : 'running' };
}

function isAsked({ approvals, questions }: SessionView): boolean {
  return approvals.length + questions.length > 0;
}

function add(view: SessionView, item: TranscriptItem): SessionView {
  return { ...view, items: [...view.items, item] };
}

function addText(view: SessionView, kind: 'text' | 'thinking', seq: number, text: string): SessionView {
  const last = view.items.at(-1);
  if (last?.kind !== kind) return add(view, { kind, seq, text });
  return { ...view, items: view.items.with(-1, { ...last, text: last.text + text }) };
}

function changeTool(
  view: SessionView,
  id: string,
  change: (item: ToolItem) => Partial<ToolItem>,
): SessionView {
  const at = view.items.findLastIndex((item) => item.kind === 'tool' && item.toolCallId === id);
  const item = view.items[at];
  if (item?.kind !== 'tool') return view;
  return { ...view, items: view.items.with(at, { ...item, ...change(item) }) };
}

function toState(result: EventData<'tool_result'>): ToolItem['state'] {
  if (result.outcome === 'unknown') return 'unknown';
  return result.isError ? 'failed' : 'done';
}

function addUsage(sum: SessionView['usage'], more: EventData<'usage'>): SessionView['usage'] {
  return {
    inputTokens: sum.inputTokens + more.inputTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
    costUsd: addCost(sum.costUsd, more.costUsd),
  };
}

/** Adds costs; an unknown part makes the sum unknown. */
export function addCost(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

function endTurn(view: SessionView, event: Event<'turn_end'>): SessionView {
  const { turnId, outcome, error } = event.data;
  const { turnId: underWay, ...rest } = view;
  const end: TranscriptItem = { kind: 'end', seq: event.seq, turnId, outcome, ...(error && { error }) };
  if (underWay !== undefined && underWay !== turnId) return add(view, end);
  return add({ ...rest, status: isAsked(view) ? 'waiting' : 'idle' }, end);
}
