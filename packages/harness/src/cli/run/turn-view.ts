// Shows a turn live: the answer on stdout, everything else on stderr. Knows nothing of servers or connections.
import {
  type Event,
  type EventData,
  type EventType,
  emptyView,
  reduce,
  type SessionView,
  type ToolItem,
} from '@toolyard/sdk';
import { createAgentLines } from '../terminal/agent-line.ts';
import {
  callLine,
  failureLine,
  outcomeText,
  type ResultFacts,
  resultLine,
  toDuration,
  toMoney,
} from '../terminal/lines.ts';
import type { Terminal, TextWriter } from '../terminal/terminal.ts';

export interface TurnView {
  /** Show all events of the session, also those of other turns. */
  showsAll: boolean;
  show(event: Event): void;
  /** Writes lines between two events without breaking a half-written one. */
  line(text: string): void;
  /** Writes a dimmed line. */
  notice(text: string): void;
}

/** Writes one event per line to stdout, and nothing else. */
export function createJsonView({ out, err }: Terminal): TurnView {
  return {
    showsAll: true,
    show: (event) => out.line(JSON.stringify(event)),
    line: (text) => err.line(text),
    notice: (text) => err.line(text),
  };
}

export function createTurnView({ out, err }: Terminal): TurnView {
  const page = createPage({ out, err });
  const toLine = createEventLines(err);
  let turn = emptyView;

  return {
    showsAll: false,
    line: page.line,
    notice: (text) => page.line(err.paint('dim', text)),
    // The state of the turn comes from `reduce`. The event says what is new: text is written as it streams, and what was
    // written stays.
    show(event) {
      turn = reduce(turn, event);
      if (event.type === 'text_delta') return page.text(out.safe(event.data.text));
      if (event.type === 'thinking_delta') return page.thought(err.safe(event.data.text));
      const line = toLine(event, turn);
      if (line !== undefined) page.line(line);
    },
  };
}

type LineEvent = Event<Exclude<EventType, 'text_delta' | 'thinking_delta'>>;

/** The line that an event adds, if any. `turn`: the turn with this event. */
function createEventLines(writer: TextWriter) {
  const agentLine = createAgentLines(writer);
  /** The last call that was written, until a result is. */
  let lastCall: string | undefined;

  return (event: LineEvent, turn: SessionView): string | undefined => {
    switch (event.type) {
      case 'tool_call_end': {
        const { toolCallId, input } = event.data;
        lastCall = toolCallId;
        return callLine(writer, findCall(turn, toolCallId)?.tool ?? 'tool', input);
      }
      case 'tool_result': {
        const isBelowCall = lastCall === event.data.toolCallId;
        lastCall = undefined;
        return resultLine(writer, toResultFacts(turn, event.data, isBelowCall));
      }
      case 'agent_update':
        return agentLine(event.data.agent);
      case 'error':
        return failureLine(writer, event.data);
      case 'turn_end':
        return endLine(writer, event.data, turn);
      case 'user_message':
      case 'turn_start':
      case 'tool_call_start':
      case 'tool_call_delta':
      case 'tool_progress':
      case 'grant_used':
      case 'usage':
      case 'session_status':
      case 'raw':
      // `run` asks these itself, and writes how they end.
      case 'approval_required':
      case 'approval_resolved':
      case 'question_required':
      case 'question_resolved':
        return undefined;
    }
    event satisfies never;
  };
}

function findCall({ items }: SessionView, toolCallId: string): ToolItem | undefined {
  return items.findLast((item): item is ToolItem => item.kind === 'tool' && item.toolCallId === toolCallId);
}

function toResultFacts(
  turn: SessionView,
  { toolCallId, output, isError, outcome }: EventData<'tool_result'>,
  isBelowCall: boolean,
): ResultFacts {
  const call = findCall(turn, toolCallId);
  return {
    output,
    state: outcome === 'unknown' ? 'unknown' : isError ? 'failed' : 'done',
    tool: isBelowCall ? undefined : (call?.tool ?? toolCallId),
    tookMs: call?.tookMs,
  };
}

function endLine(
  writer: TextWriter,
  { outcome, costUsd }: EventData<'turn_end'>,
  { items, usage }: SessionView,
): string {
  const end = items.at(-1);
  const tookMs = end?.kind === 'end' ? end.tookMs : undefined;
  const facts = [
    `${usage.inputTokens} tokens in, ${usage.outputTokens} out`,
    toMoney(costUsd),
    ...(tookMs === undefined ? [] : [toDuration(tookMs)]),
  ];
  return `${outcomeText(writer, outcome)} ${writer.paint('dim', `· ${facts.join(' · ')}`)}`;
}

/**
 * Writes three kinds of output to two streams: streamed text, streamed thoughts and whole lines. A half-written line is
 * finished before another kind begins, and on a terminal an empty line separates them.
 */
function createPage({ out, err }: Terminal) {
  let last: 'text' | 'thought' | 'line' | undefined;
  let midLine = false;

  function turnTo(kind: 'text' | 'thought' | 'line'): void {
    if (last === kind) return;
    if (midLine) (last === 'text' ? out : err).line();
    if (last && out.isTerminal && err.isTerminal) err.line();
    midLine = false;
    last = kind;
  }

  return {
    line(text: string): void {
      turnTo('line');
      err.line(text);
    },
    text(text: string): void {
      turnTo('text');
      out.write(text);
      if (text) midLine = !text.endsWith('\n');
    },
    thought(text: string): void {
      turnTo('thought');
      err.write(err.paint('dim', text));
      if (text) midLine = !text.endsWith('\n');
    },
  };
}
