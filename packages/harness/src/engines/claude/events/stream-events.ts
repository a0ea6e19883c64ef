// The pieces of a message while the model is still saying it, as events. Calls begin here; they end with the whole
// block, which the CLI sends before it asks whether the call may run.
import type { EngineEvent } from '@toolyard/sdk';
import { type Fields, fieldsAt, numberAt, textAt } from '../lib/untyped-fields.ts';
import { type NativeResult, toAbandoned, toInput, toOurName } from '../tools/tool-blocks.ts';
import { toRaw } from './raw.ts';
import {
  addUsage,
  blockAt,
  openBlock,
  openMessage,
  type StreamedBlock,
  type StreamedMessage,
  toUsage,
} from './streamed-message.ts';

export interface StreamState {
  /** The newest streamed messages, oldest first. */
  streamed: StreamedMessage[];
  /** Text was shown that the model will say again. */
  broken: boolean;
}

interface Streamed {
  events: EngineEvent[];
  results: NativeResult[];
}

const maxStreamed = 4;

/** Takes one piece of the running message. */
export function takeStreamEvent(state: StreamState, message: Fields): Streamed {
  const event = fieldsAt(message, 'event');
  const current = state.streamed.at(-1);
  switch (event.type) {
    case 'message_start':
      state.streamed = [...state.streamed.slice(1 - maxStreamed), openMessage(event)];
      return nothing();
    case 'content_block_start':
      return current
        ? { events: startBlock(state, openBlock(current, event), event), results: [] }
        : nothing();
    case 'content_block_delta': {
      const block = current && blockAt(current, event);
      return block ? { events: growBlock(state, block, fieldsAt(event, 'delta')), results: [] } : nothing();
    }
    case 'message_delta':
      if (current) addUsage(current, event);
      return nothing();
    case 'message_stop':
      return current ? stopMessage(state, current, message) : nothing();
    default:
      return nothing();
  }
}

function startBlock(state: StreamState, block: StreamedBlock, event: Fields): EngineEvent[] {
  const content = fieldsAt(event, 'content_block');
  if (block.type === 'tool_use') {
    block.shown = true;
    return [startOf(content)];
  }
  return showText(state, block, textAt(content, block.type) ?? '');
}

function growBlock(state: StreamState, block: StreamedBlock, delta: Fields): EngineEvent[] {
  if (delta.type === 'text_delta') return showText(state, block, textAt(delta, 'text') ?? '');
  if (delta.type === 'thinking_delta') return showText(state, block, textAt(delta, 'thinking') ?? '');
  const piece = delta.type === 'input_json_delta' ? (textAt(delta, 'partial_json') ?? '') : '';
  if (piece === '' || block.type !== 'tool_use') return [];
  block.json += piece;
  return [{ type: 'tool_call_delta', data: { toolCallId: block.id, delta: piece } }];
}

/** Text or thinking, for the first time. */
export function showText(
  state: Pick<StreamState, 'broken'>,
  block: Pick<StreamedBlock, 'type' | 'shown'>,
  text: string,
): EngineEvent[] {
  if (text === '') return [];
  block.shown = true;
  if (block.type === 'thinking') return [{ type: 'thinking_delta', data: { text } }];
  // What broke off and what is said in its place are two paragraphs.
  const lead = state.broken ? '\n\n' : '';
  state.broken = false;
  return [{ type: 'text_delta', data: { text: lead + text } }];
}

/** The end of the pieces. From `abandoned_blocks` on they count for nothing: the stream broke, and is tried again. */
function stopMessage(state: StreamState, streamed: StreamedMessage, message: Fields): Streamed {
  const usage = toUsage(streamed.usage);
  const events: EngineEvent[] = usage ? [{ type: 'usage', data: usage }] : [];
  const from = numberAt(fieldsAt(message, 'abandoned_blocks'), 'from_block_index');
  const lost = streamed.blocks.filter(
    (block) => from !== undefined && block.index >= from && block.shown && !block.whole,
  );
  if (lost.length === 0) return { events, results: [] };
  state.broken = lost.some(({ type }) => type === 'text');
  const calls = lost.filter(({ type }) => type === 'tool_use');
  const ends = calls.map(({ id, json }): EngineEvent => endOf(id, toInput({}, json)));
  const note = toRaw({ type: 'abandoned' }, 'The model’s answer was cut off here.');
  return { events: [...events, ...ends, note], results: calls.map(({ id }) => toAbandoned(id)) };
}

export function startOf(block: Fields): EngineEvent {
  const tool = toOurName(textAt(block, 'name') ?? '');
  return { type: 'tool_call_start', data: { toolCallId: textAt(block, 'id') ?? '', tool } };
}

export function endOf(toolCallId: string, input: unknown): EngineEvent {
  return { type: 'tool_call_end', data: { toolCallId, input } };
}

function nothing(): Streamed {
  return { events: [], results: [] };
}
