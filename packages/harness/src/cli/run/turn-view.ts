// A turn as it happens: the answer to stdout, all else to stderr. Knows nothing of servers or connections.
import type { Event, EventData } from '@toolyard/sdk';
import { createAgentLines } from '../terminal/agent-line.ts';
import { callLine, failureLine, outcomeText, resultLine, toDuration, toMoney } from '../terminal/lines.ts';
import type { Pen, Terminal } from '../terminal/terminal.ts';

export interface TurnView {
  /** Wants the log as it is, with what others do in the session meanwhile. */
  showsAll: boolean;
  show(event: Event): void;
  /** Writes lines between two events without breaking a half-written one. */
  line(text: string): void;
  /** A line in passing. */
  notice(text: string): void;
}

/** One event per line on stdout, and nothing else there. */
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
  const calls = createCallLines(err);
  const agentLine = createAgentLines(err);
  const sum = { inputTokens: 0, outputTokens: 0, startedAt: '' };

  return {
    showsAll: false,
    line: page.line,
    notice: (text) => page.line(err.paint('dim', text)),
    show: (event) => {
      switch (event.type) {
        case 'turn_start':
          sum.startedAt = event.at;
          return;
        case 'text_delta':
          return page.text(out.safe(event.data.text));
        case 'thinking_delta':
          return page.thought(err.safe(event.data.text));
        case 'tool_call_start':
          return calls.start(event.data);
        case 'tool_call_end':
          return page.line(calls.call(event.data, event.at));
        case 'approval_required':
          return calls.ask(event.data.approval);
        case 'approval_resolved':
          return calls.answer(event.data, event.at);
        case 'tool_result':
          return page.line(calls.result(event.data, event.at));
        case 'agent_update': {
          const news = agentLine(event.data.agent);
          return news === undefined ? undefined : page.line(news);
        }
        case 'usage':
          sum.inputTokens += event.data.inputTokens;
          sum.outputTokens += event.data.outputTokens;
          return;
        case 'error':
          return page.line(failureLine(err, event.data));
        case 'turn_end':
          return page.line(endLine(err, event, sum));
      }
    },
  };
}

interface Sum {
  inputTokens: number;
  outputTokens: number;
  startedAt: string;
}

function endLine(pen: Pen, { data, at }: Event<'turn_end'>, sum: Sum): string {
  const facts = [
    `${sum.inputTokens} tokens in, ${sum.outputTokens} out`,
    toMoney(data.costUsd),
    ...(sum.startedAt ? [toDuration(Date.parse(at) - Date.parse(sum.startedAt))] : []),
  ];
  return `${outcomeText(pen, data.outcome)} ${pen.paint('dim', `· ${facts.join(' · ')}`)}`;
}

/**
 * Three kinds of writing on two pens: streaming text, streaming thoughts, whole lines. A half-written line is
 * finished before another kind begins, and on a terminal an empty line keeps them apart.
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

/** Remembers calls under way, so that a result can say how long it took and, out of order, whose it is. */
function createCallLines(pen: Pen) {
  const tools = new Map<string, { tool: string; at?: string }>();
  const asked = new Map<string, string>();
  let last = '';

  return {
    start({ toolCallId, tool }: EventData<'tool_call_start'>): void {
      tools.set(toolCallId, { tool });
    },
    call({ toolCallId, input }: EventData<'tool_call_end'>, at: string): string {
      const tool = tools.get(toolCallId)?.tool ?? 'tool';
      tools.set(toolCallId, { tool, at });
      last = toolCallId;
      return callLine(pen, tool, input);
    },
    ask({ id, toolCallId }: EventData<'approval_required'>['approval']): void {
      asked.set(id, toolCallId);
    },
    /** The time that a person took is not the call's. */
    answer({ approvalId }: EventData<'approval_resolved'>, at: string): void {
      const call = tools.get(asked.get(approvalId) ?? '');
      if (call) call.at = at;
    },
    result(result: EventData<'tool_result'>, at: string): string {
      const call = tools.get(result.toolCallId);
      const isBelow = last === result.toolCallId;
      last = '';
      return resultLine(pen, {
        output: result.output,
        state: result.outcome === 'unknown' ? 'unknown' : result.isError ? 'failed' : 'done',
        tool: isBelow ? undefined : (call?.tool ?? result.toolCallId),
        tookMs: call?.at ? Date.parse(at) - Date.parse(call.at) : undefined,
      });
    },
  };
}
