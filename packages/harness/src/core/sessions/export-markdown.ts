// A session's log as Markdown, piece by piece and in bounded memory: words as quotations, calls and their results as code.
import {
  type Event,
  type EventData,
  type EventType,
  type Failure,
  type Session,
  toReadable,
  toShown,
} from '@toolyard/sdk';
import { escapeMarkdown, toCode, toFence, toQuote } from '../lib/markdown-text.ts';

/** Longer text is split into several quotations. */
const maxRunLength = 262_144;

export function toMarkdownHead(session: Session, exportedAt: string): string {
  const facts: [string, string][] = [
    ['Session', session.id],
    ['Role', session.role],
    ['Engine', `${session.engine}, ${session.model}`],
    ['Directory', session.cwd],
    ['Created', session.createdAt],
    ['Exported', exportedAt],
    ...(session.forkedFrom
      ? [['Forked from', `${session.forkedFrom.sessionId} at ${session.forkedFrom.seq}`] as [string, string]]
      : []),
  ];
  const title = escapeMarkdown(session.title) || 'A session';
  return `# ${title}\n\n${facts.map(([name, value]) => `- ${name}: ${toCode(value)}`).join('\n')}\n`;
}

export interface MarkdownWriter {
  /** What an event adds to the document. */
  add(event: Event): string;
  end(): string;
}

export function createMarkdownWriter(): MarkdownWriter {
  const tools = new Map<string, string>();
  let run: { kind: 'text' | 'thinking'; text: string; at: string } | undefined;

  function endRun(): string {
    if (!run) return '';
    const { kind, text, at } = run;
    run = undefined;
    if (text.trim() === '') return '';
    const head = kind === 'text' ? `## Agent · ${at}` : `*Thinking · ${at}*`;
    return `\n${head}\n\n${toQuote(text)}\n`;
  }

  function addText(kind: 'text' | 'thinking', text: string, at: string): string {
    const ended = run && (run.kind !== kind || run.text.length > maxRunLength) ? endRun() : '';
    run = run ? { ...run, text: run.text + text } : { kind, text, at };
    return ended;
  }

  return {
    add(event) {
      if (event.type === 'text_delta') return addText('text', event.data.text, event.at);
      if (event.type === 'thinking_delta') return addText('thinking', event.data.text, event.at);
      const section = toSection(event, tools);
      // An event that adds nothing does not split the text around it.
      return section || event.type === 'turn_end' ? endRun() + section : '';
    },
    end: endRun,
  };
}

type OtherEvent = Event<Exclude<EventType, 'text_delta' | 'thinking_delta'>>;

/** What an event other than streamed text adds. `tools`: the name of each call's tool. */
function toSection(event: OtherEvent, tools: Map<string, string>): string {
  switch (event.type) {
    case 'user_message':
      return `\n## Person · ${event.at}\n\n${toQuote(toShown(event.data.content))}\n`;
    case 'tool_call_start':
      tools.set(event.data.toolCallId, event.data.tool);
      return '';
    case 'tool_call_end':
      return `\n### Tool ${toCode(tools.get(event.data.toolCallId) ?? 'unknown')} · ${event.at}\n\n${toFence(toJson(event.data.input), 'json')}\n`;
    case 'tool_result':
      return toResult(event.data, tools);
    case 'approval_resolved':
      return `\n*Approval: ${event.data.state}${toWho(event.data)}*\n`;
    case 'question_required':
      return `\n*The agent asks:*\n\n${toQuote(event.data.question.text)}\n`;
    case 'question_resolved':
      return toAnswer(event.data);
    case 'error':
      return `\n*Error:* ${toFailure(event.data)}\n`;
    case 'turn_end':
      return toEnd(event.data);
    case 'raw':
      return toNote(event.data.message);
    case 'turn_start':
    case 'tool_call_delta':
    case 'tool_progress':
    case 'grant_used':
    case 'approval_required':
    case 'agent_update':
    case 'usage':
    case 'session_status':
      return '';
  }
}

function toResult(result: EventData<'tool_result'>, tools: Map<string, string>): string {
  const { toolCallId, output, isError, outcome, truncated } = result;
  const what = outcome === 'unknown' ? 'Outcome unknown' : isError ? 'Failed' : 'Result';
  const tool = tools.get(toolCallId);
  tools.delete(toolCallId);
  const cut = truncated ? ', cut' : '';
  return `\n*${what}${tool ? ` of ${toCode(tool)}` : ''}${cut}:*\n\n${toFence(toJson(output), typeof output === 'string' ? '' : 'json')}\n`;
}

function toWho({ scope, decidedBy }: EventData<'approval_resolved'>): string {
  const far = scope && scope !== 'once' ? `, scope ${scope}` : '';
  return decidedBy ? ` by ${toCode(`${decidedBy.kind} ${decidedBy.id} via ${decidedBy.via}`)}${far}` : far;
}

function toAnswer({ state, answer }: EventData<'question_resolved'>): string {
  if (answer === undefined) return `\n*No answer: ${state}.*\n`;
  return `\n*Answer:*\n\n${toQuote(typeof answer === 'string' ? answer : answer.join('\n'))}\n`;
}

function toFailure({ code, message }: Failure): string {
  return `${escapeMarkdown(message)} (${toCode(code)})`;
}

/** What an engine tells people in passing. */
function toNote(message: unknown): string {
  const isNote = typeof message === 'object' && message !== null && 'note' in message;
  return isNote && typeof message.note === 'string' ? `\n*${escapeMarkdown(message.note)}*\n` : '';
}

function toJson(value: unknown): string {
  if (typeof value === 'string') return value;
  return toReadable(JSON.stringify(value, undefined, 2) ?? '');
}

function toEnd({ outcome, withdrawn }: EventData<'turn_end'>): string {
  if (withdrawn) return '\n*The person withdrew a message before it was answered.*\n';
  return outcome === 'completed' ? '' : `\n*The turn ended: ${outcome}.*\n`;
}
