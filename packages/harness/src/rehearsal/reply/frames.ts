// A reply in Anthropic's two forms: one JSON message, or the events of a stream.
import { lengthOf, type OutputBlock, type Reply } from './reply.ts';

export interface Frame {
  event: string;
  data: Record<string, unknown>;
  /** Characters of the answer in this frame; frames without any are never delayed. */
  characters: number;
}

export interface FrameOptions {
  chunkChars: number;
  /** Leave the input of every tool call unfinished. */
  brokenInput: boolean;
}

export function toMessage(reply: Reply, options: FrameOptions) {
  return {
    ...openMessage(reply, reply.outputTokens),
    content: reply.blocks.map((block) => ({ ...openBlock(block), ...contentOf(block, options) })),
    stop_reason: reply.stopReason,
  };
}

export function* toFrames(reply: Reply, options: FrameOptions): Generator<Frame> {
  yield frame('message_start', { message: openMessage(reply, 1) });
  yield frame('ping', {});
  for (const [index, block] of reply.blocks.entries()) {
    yield frame('content_block_start', { index, content_block: openBlock(block) });
    for (const { delta, characters } of toDeltas(block, options)) {
      yield { ...frame('content_block_delta', { index, delta }), characters };
    }
    yield frame('content_block_stop', { index });
  }
  const delta = { stop_reason: reply.stopReason, stop_sequence: null };
  yield frame('message_delta', { delta, usage: { output_tokens: reply.outputTokens } });
  yield frame('message_stop', {});
}

function frame(event: string, data: Record<string, unknown>): Frame {
  return { event, data: { type: event, ...data }, characters: 0 };
}

function openMessage(reply: Reply, outputTokens: number) {
  return {
    id: reply.id,
    type: 'message',
    role: 'assistant',
    model: reply.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: reply.inputTokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: outputTokens,
    },
  };
}

function openBlock(block: OutputBlock): Record<string, unknown> {
  if (block.type === 'text') return { type: 'text', text: '' };
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return { type: 'tool_use', id: block.id, name: block.name, input: {} };
}

function contentOf(block: OutputBlock, { brokenInput }: FrameOptions): Record<string, unknown> {
  if (block.type === 'text') return { text: block.unit.repeat(block.repeat) };
  if (block.type === 'thinking') return { thinking: block.thinking, signature: block.signature };
  return { input: brokenInput ? unfinished(block.inputJson) : JSON.parse(block.inputJson) };
}

interface Delta {
  delta: Record<string, string>;
  characters: number;
}

function* toDeltas(block: OutputBlock, { chunkChars, brokenInput }: FrameOptions): Generator<Delta> {
  if (block.type === 'text') {
    for (const text of toPieces(block.unit, lengthOf(block), chunkChars)) {
      yield { delta: { type: 'text_delta', text }, characters: text.length };
    }
  } else if (block.type === 'thinking') {
    for (const thinking of toPieces(block.thinking, block.thinking.length, chunkChars)) {
      yield { delta: { type: 'thinking_delta', thinking }, characters: thinking.length };
    }
    yield { delta: { type: 'signature_delta', signature: block.signature }, characters: 0 };
  } else {
    // The service opens every input with an empty piece, and sends nothing else when the input is empty.
    yield { delta: { type: 'input_json_delta', partial_json: '' }, characters: 0 };
    const json = brokenInput ? unfinished(block.inputJson) : block.inputJson;
    if (json === '{}') return;
    for (const partial_json of toPieces(json, json.length, chunkChars)) {
      yield { delta: { type: 'input_json_delta', partial_json }, characters: partial_json.length };
    }
  }
}

function unfinished(json: string): string {
  return json.slice(0, -1);
}

/** Cuts `unit`, said over and over up to `length`, into pieces; never inside a surrogate pair. */
function* toPieces(unit: string, length: number, chunkChars: number): Generator<string> {
  const wheel = unit.repeat(Math.ceil((Math.min(chunkChars, length) + 1) / unit.length) + 1);
  for (let at = 0; at < length; ) {
    const start = at % unit.length;
    let size = Math.min(chunkChars, length - at);
    if (/[\ud800-\udbff]/.test(wheel.charAt(start + size - 1)) && at + size < length) size++;
    yield wheel.slice(start, start + size);
    at += size;
  }
}
