// Events in, what a person sees out. Pure; the web page and the terminal share it and keep no state of their own.
import type { Event, EventData } from '../protocol/event.ts';
import type { EndItem, SessionView, ToolItem, TranscriptItem, Used } from './view.ts';

/** Adds one event. An event already seen changes nothing, so a reader may resume a little early. */
export function reduce(view: SessionView, event: Event): SessionView {
  if (event.seq <= view.lastSeq) return view;
  return { ...apply(view, event), lastSeq: event.seq };
}

function apply(view: SessionView, event: Event): SessionView {
  const { seq } = event;
  switch (event.type) {
    case 'user_message':
      return addMessage(view, event);
    case 'turn_start':
      return startTurn(view, event);
    case 'text_delta':
      return addText(view, 'text', seq, event.data.text);
    case 'thinking_delta':
      return addText(view, 'thinking', seq, event.data.text);
    case 'tool_call_start':
      return add(view, { kind: 'tool', seq, state: 'writing', inputText: '', ...event.data });
    case 'tool_call_delta':
    case 'tool_call_end':
    case 'tool_progress':
    case 'grant_used':
    case 'tool_result':
      return applyToCall(view, event);
    case 'usage':
      return addUsage(view, event.data);
    case 'session_status':
      return changeStatus(view, event.data);
    case 'error':
      return add(view, { kind: 'error', seq, error: event.data });
    case 'turn_end':
      return endTurn(view, event);
    case 'approval_required':
    case 'approval_resolved':
    case 'question_required':
    case 'question_resolved':
      return applyAsked(view, event);
    case 'agent_update':
      return { ...view, agents: { ...view.agents, [event.data.agent.id]: event.data.agent } };
    case 'raw':
      return addUnknown(view, event);
  }
}

type CallEvent = Event<'tool_call_delta' | 'tool_call_end' | 'tool_progress' | 'grant_used' | 'tool_result'>;

function applyToCall(view: SessionView, { type, data, at, seq }: CallEvent): SessionView {
  return changeTool(view, data.toolCallId, (item) => {
    switch (type) {
      case 'tool_call_delta':
        return { inputText: item.inputText + data.delta };
      case 'tool_call_end':
        return { state: 'called', input: data.input, since: at, calledSeq: seq };
      case 'tool_progress':
        return { progress: data };
      case 'grant_used':
        return { grant: { id: data.grantId, scope: data.scope } };
      case 'tool_result':
        return { ...toResult(item, data, at), endSeq: seq };
    }
  });
}

function toResult(item: ToolItem, result: EventData<'tool_result'>, at: string): Partial<ToolItem> {
  const { output, truncated, outputId, outcome, isError } = result;
  return {
    state: outcome === 'unknown' ? 'unknown' : isError ? 'failed' : 'done',
    output,
    ...(truncated && { truncated }),
    ...(outputId && { outputId }),
    ...(item.since && { tookMs: toMs(item.since, at) }),
  };
}

/** What an agent under this session asks stands in its log, too. Its own turns are not held up by it. */
function applyAskedBelow(view: SessionView, { sessionId, type, data }: AskedEvent): SessionView | undefined {
  const isBelow = (asked?: { sessionId: string }) => asked !== undefined && asked.sessionId !== sessionId;
  switch (type) {
    case 'approval_required':
      return isBelow(data.approval) ? { ...view, approvals: [...view.approvals, data.approval] } : undefined;
    case 'question_required':
      return isBelow(data.question) ? { ...view, questions: [...view.questions, data.question] } : undefined;
    case 'approval_resolved': {
      const approvals = view.approvals.filter(({ id }) => id !== data.approvalId);
      return isBelow(view.approvals.find(({ id }) => id === data.approvalId))
        ? { ...view, approvals }
        : undefined;
    }
    case 'question_resolved': {
      const questions = view.questions.filter(({ id }) => id !== data.questionId);
      return isBelow(view.questions.find(({ id }) => id === data.questionId))
        ? { ...view, questions }
        : undefined;
    }
  }
}

type AskedEvent = Event<
  'approval_required' | 'approval_resolved' | 'question_required' | 'question_resolved'
>;

function applyAsked(view: SessionView, event: AskedEvent): SessionView {
  const { type, data, at } = event;
  const below = applyAskedBelow(view, event);
  if (below) return below;
  switch (type) {
    case 'approval_required': {
      const { id, toolCallId, state } = data.approval;
      const asked = changeTool(view, toolCallId, () => ({ approval: { id, state } }));
      return { ...asked, status: 'waiting', approvals: [...view.approvals, data.approval] };
    }
    case 'approval_resolved': {
      const { approvalId, ...decided } = data;
      const found = view.approvals.find(({ id }) => id === approvalId);
      const approval = { id: approvalId, ...decided };
      const updated = found ? changeTool(view, found.toolCallId, () => ({ approval, since: at })) : view;
      return resolved({ ...updated, approvals: view.approvals.filter(({ id }) => id !== approvalId) });
    }
    case 'question_required':
      return { ...view, status: 'waiting', questions: [...view.questions, data.question] };
    case 'question_resolved':
      return resolved({ ...view, questions: view.questions.filter(({ id }) => id !== data.questionId) });
  }
}

function changeStatus(view: SessionView, { status, mode, model }: EventData<'session_status'>): SessionView {
  return { ...view, status, ...(mode && { mode }), ...(model && { model }) };
}

/** A message sent while a turn is under way waits for its own. */
function addMessage(view: SessionView, { seq, at, data }: Event<'user_message'>): SessionView {
  const item = { kind: 'user', seq, at, ...data } as const;
  const waits = view.turnId !== undefined && view.turnId !== data.turnId;
  return waits ? { ...view, queued: [...view.queued, item] } : add(view, item);
}

/** A call that somebody else makes runs beside the turn under way. */
function startTurn(view: SessionView, { data, at }: Event<'turn_start'>): SessionView {
  const { turnId, toolCallId } = data;
  if (toolCallId !== undefined) return { ...view, status: isAsked(view) ? 'waiting' : 'running' };
  const { turnUsage: _, ...rest } = takeQueued(view, turnId);
  return { ...rest, status: 'running', turnId, turnSince: at };
}

/** Where a message is answered is where it stands. */
function takeQueued(view: SessionView, turnId: string): SessionView {
  const due = view.queued.filter((item) => item.turnId === turnId);
  if (due.length === 0) return view;
  const queued = view.queued.filter((item) => item.turnId !== turnId);
  return { ...view, queued, items: [...view.items, ...due] };
}

/** Once nobody has to be asked any more, the turn goes on. */
function resolved(view: SessionView): SessionView {
  return { ...view, status: isAsked(view) || !view.turnId ? view.status : 'running' };
}

function isAsked({ approvals, questions }: SessionView): boolean {
  return approvals.length + questions.length > 0;
}

/** What an engine says beside its events is nobody's to read; what a newer server says is at least named. */
function addUnknown(view: SessionView, { seq, data: { engine, message } }: Event<'raw'>): SessionView {
  if (engine !== 'unknown') return view;
  const { type } = Object(message);
  return add(view, { kind: 'unknown', seq, type: String(type).slice(0, 100) });
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

const nothingUsed: Used = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

function addUsage(view: SessionView, more: EventData<'usage'>): SessionView {
  const usage = toSum(view.usage, more);
  if (view.turnId === undefined) return { ...view, usage };
  return { ...view, usage, turnUsage: toSum(view.turnUsage ?? nothingUsed, more) };
}

function toSum(sum: Used, more: EventData<'usage'>): Used {
  const costUsd = addCost(sum.costUsd, more.costUsd);
  const knownUsd = (sum.costUsd ?? sum.knownUsd ?? 0) + (more.costUsd ?? 0);
  const isUncounted = more.costUsd === null && more.inputTokens + more.outputTokens === 0;
  return {
    inputTokens: sum.inputTokens + more.inputTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
    costUsd,
    ...(costUsd === null && knownUsd > 0 && { knownUsd }),
    ...((sum.isUncounted || isUncounted) && { isUncounted: true as const }),
  };
}

/** Adds costs; an unknown part makes the sum unknown. */
export function addCost(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

function endTurn(view: SessionView, { seq, at, data }: Event<'turn_end'>): SessionView {
  if (data.withdrawn) return withoutMessage(view, data.turnId);
  const ended = takeQueued(view, data.turnId);
  const end: EndItem = { kind: 'end', seq, ...data };
  const { turnId: underWay, turnSince, turnUsage, ...rest } = ended;
  if (underWay !== undefined && underWay !== data.turnId) return add(ended, { ...end, isBeside: true });
  const facts = {
    ...(turnUsage && { usage: turnUsage }),
    ...(turnSince && { tookMs: toMs(turnSince, at) }),
    ...(underWay === undefined && { isBeside: true as const }),
  };
  return add({ ...rest, status: isAsked(view) ? 'waiting' : 'idle' }, { ...end, ...facts });
}

/** It was taken back, and nobody has read it. */
function withoutMessage(view: SessionView, turnId: string): SessionView {
  const queued = view.queued.filter((item) => item.turnId !== turnId);
  return {
    ...view,
    queued,
    items: view.items.filter((item) => item.kind !== 'user' || item.turnId !== turnId),
  };
}

function toMs(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from));
}
