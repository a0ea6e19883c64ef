// From the messages of the CLI to the events they stand for. Holds what it has seen of the running message, does
// nothing else, and takes whatever comes: what it does not know becomes `raw`, what makes no sense nothing.
import type { EngineEvent } from '@toolyard/sdk';
import { type Fields, fieldsAt, isFields, listAt, textAt } from '../lib/untyped-fields.ts';
import { type NativeResult, toInput, toResults } from '../tools/tool-blocks.ts';
import { toInitEvent, toRateLimitEvent, toRaw, toSystemEvents } from './raw.ts';
import { type Ended, type Fault, toEnded, toFault } from './result-message.ts';
import { endOf, type StreamState, showText, startOf, takeStreamEvent } from './stream-events.ts';
import { claimBlock, type StreamedBlock, toUsage } from './streamed-message.ts';

export interface Translated {
  events: EngineEvent[];
  /** How calls ended, whoever ran them. */
  results: NativeResult[];
  /** The CLI's id of the conversation, when it is new. */
  token?: string;
  /** The newest entry of the CLI's own transcript. */
  lastUuid?: string;
  /** The turn is over. */
  ended?: Ended;
}

export interface Translation {
  /** Takes the next message, in the order they came. Never throws. */
  take(message: unknown): Translated;
}

interface State extends StreamState {
  token?: string;
  /** Messages whose cost was told though they were not streamed. */
  counted: string[];
  /** The last `init` as it was told. */
  init: string;
  /** What the CLI has said about the error that will end the turn. */
  fault?: Fault;
}

const maxCounted = 64;

export function createTranslation(): Translation {
  const state: State = { streamed: [], broken: false, counted: [], init: '' };
  return { take: (message) => take(state, message) };
}

function take(state: State, message: unknown): Translated {
  if (!isFields(message))
    return { events: message === null || message === undefined ? [] : [toRaw(message)], results: [] };
  const token = textAt(message, 'session_id');
  const isNew = token !== undefined && token !== '' && token !== state.token;
  if (isNew) state.token = token;
  return { ...translate(state, message), ...(isNew && { token }) };
}

function translate(state: State, message: Fields): Translated {
  switch (message.type) {
    case 'stream_event':
      return message.parent_tool_use_id ? nothing() : takeStreamEvent(state, message);
    case 'assistant':
      return takeAssistant(state, message);
    case 'user':
      return takeUser(message);
    case 'system':
      return { events: takeSystem(state, message), results: [] };
    case 'result':
      return takeResult(state, message);
    case 'rate_limit_event':
      return { events: [toRateLimitEvent(message)], results: [] };
    case 'tool_progress':
    case 'command_lifecycle':
    case 'keep_alive':
      return nothing();
    default:
      return { events: [toRaw(message)], results: [] };
  }
}

function takeAssistant(state: State, message: Fields): Translated {
  const inner = fieldsAt(message, 'message');
  const fault = toFault(message);
  if (fault) {
    state.fault = fault;
    return { events: [], results: [], ...entryOf(message) };
  }
  const blocks = listAt(inner, 'content');
  if (message.parent_tool_use_id) {
    const events = [...blocks.flatMap((block) => toInnerEvents(message, block)), ...countOf(state, inner)];
    return { events, results: [] };
  }
  const streamed = state.streamed.find(({ id }) => id !== '' && id === inner.id);
  const events = blocks.flatMap((block) => toWholeEvents(state, claimBlock(streamed, block), block));
  return {
    events: [...events, ...(streamed ? [] : countOf(state, inner))],
    results: [],
    ...entryOf(message),
  };
}

/** What a whole block adds to its pieces; all of it, when there were none. */
function toWholeEvents(state: State, streamed: StreamedBlock | undefined, block: Fields): EngineEvent[] {
  const { type } = block;
  if (type === 'tool_use') {
    const id = textAt(block, 'id') ?? '';
    const end = endOf(id, toInput(block.input, streamed?.json));
    return streamed ? [end] : [startOf(block), end];
  }
  if (streamed?.shown || (type !== 'text' && type !== 'thinking')) return [];
  return showText(state, { type, shown: false }, textAt(block, type) ?? '');
}

/** An agent inside the CLI: its calls are calls, its words are not the answer's. */
function toInnerEvents(message: Fields, block: Fields): EngineEvent[] {
  if (block.type === 'tool_use')
    return [startOf(block), endOf(textAt(block, 'id') ?? '', toInput(block.input))];
  const words = textAt(block, 'text') ?? '';
  return words === ''
    ? []
    : [toRaw({ type: 'subagent', toolCallId: message.parent_tool_use_id, text: words })];
}

/** The cost of a message that did not come in pieces, once. */
function countOf(state: State, inner: Fields): EngineEvent[] {
  const id = textAt(inner, 'id') ?? '';
  const usage = toUsage(fieldsAt(inner, 'usage'));
  if (!usage || state.counted.includes(id)) return [];
  state.counted = [...state.counted.slice(1 - maxCounted), id];
  return [{ type: 'usage', data: usage }];
}

function takeUser(message: Fields): Translated {
  if (message.isReplay === true) return nothing();
  const isInner = Boolean(message.parent_tool_use_id);
  return { events: [], results: toResults(message), ...(isInner ? {} : entryOf(message)) };
}

function takeSystem(state: State, message: Fields): EngineEvent[] {
  if (message.subtype !== 'init') return toSystemEvents(message);
  const event = toInitEvent(message);
  const noted = JSON.stringify(event);
  if (noted === state.init) return [];
  state.init = noted;
  return [event];
}

function takeResult(state: State, message: Fields): Translated {
  // The CLI has answered to itself, not to what it was sent.
  if (fieldsAt(message, 'origin').kind === 'task-notification') return nothing();
  const ended = toEnded(message, state.fault);
  state.broken = false;
  delete state.fault;
  return { events: [], results: [], ended };
}

function entryOf(message: Fields): { lastUuid?: string } {
  const lastUuid = textAt(message, 'uuid');
  return lastUuid ? { lastUuid } : {};
}

function nothing(): Translated {
  return { events: [], results: [] };
}
