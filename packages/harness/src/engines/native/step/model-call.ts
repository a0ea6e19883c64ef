// One call of the model, from request to the end of its stream: what it says goes up at the reader's pace. Never
// rejects; an abort, a silence and an error each come back as an end.
import { type EngineHost, isReadable, type ProviderType, untilAborted } from '@toolyard/sdk';
import type { FoundModel } from '../models/models.ts';
import type { Message, ModelTools, StreamPart, UserPart } from '../models/provider.ts';
import { createCallIds } from '../transcript/call-ids.ts';
import { type Answer, createAnswer } from './answer.ts';
import { type Fault, toCutFault, toFault, toIdleFault } from './failures.ts';
import { toEvents } from './translate.ts';

export interface ModelCall {
  found: FoundModel;
  sessionId: string;
  prompt: Message[];
  tools: ModelTools;
  /** Ids of the calls that were made before: none is given to another. */
  madeCalls: ReadonlySet<string>;
  /** About how much of the window the request takes. */
  usedTokens: number;
  /** What the model may say at most, when that is less than it could. */
  maxOutputTokens?: number;
  emit: EngineHost['emit'];
  /** Aborts when the turn does. */
  signal: AbortSignal;
  /** A stream that says nothing for this long counts as cut. */
  idleTimeoutMs: number;
}

export type CallEnd =
  | { end: 'answered'; answer: Answer }
  | { end: 'interrupted'; answer: Answer }
  /** `shown`: something of it has been emitted. */
  | { end: 'failed'; answer: Answer; fault: Fault; shown: boolean };

export async function callModel(call: ModelCall): Promise<CallEnd> {
  const progress: Progress = { shown: false, silent: false, called: false, counted: false };
  const ended = await callAndRead(call, progress);
  if (progress.called && !progress.counted) {
    const behind = call.emit({ type: 'usage', data: { inputTokens: 0, outputTokens: 0 } });
    if (behind) await untilAborted(behind, call.signal);
  }
  return ended;
}

interface Progress {
  shown: boolean;
  silent: boolean;
  /** The provider has, or may have, begun to answer. */
  called: boolean;
  /** What the step used was emitted. */
  counted: boolean;
}

async function callAndRead(call: ModelCall, progress: Progress): Promise<CallEnd> {
  const answer = createAnswer();
  const request = new AbortController();
  const stop = () => request.abort();
  const watch = startIdleTimeout(call.idleTimeoutMs, () => {
    progress.silent = true;
    stop();
  });
  call.signal.addEventListener('abort', stop, { once: true });
  try {
    if (call.signal.aborted) return { end: 'interrupted', answer };
    const stream = await openStream(call, request.signal, progress);
    await readStream(stream, { ...call, answer, watch, progress });
    if (answer.isFinished()) return { end: 'answered', answer };
    stop();
    if (call.signal.aborted) return { end: 'interrupted', answer };
    return { end: 'failed', answer, fault: toCutFault(), shown: progress.shown };
  } catch (thrown) {
    stop();
    if (call.signal.aborted) return { end: 'interrupted', answer };
    const fault = progress.silent ? toIdleFault(call.idleTimeoutMs) : toFault(thrown, call.found.access);
    // Who refuses, or cannot be reached, has not answered.
    progress.called &&= progress.shown || fault.failure.code === 'stream_cut';
    return { end: 'failed', answer, fault, shown: progress.shown };
  } finally {
    watch.stop();
    call.signal.removeEventListener('abort', stop);
  }
}

async function openStream(
  { found, sessionId, prompt, tools, usedTokens, maxOutputTokens: granted }: ModelCall,
  abortSignal: AbortSignal,
  progress: Progress,
): Promise<ReadableStream<StreamPart>> {
  const { model, wire, access } = found;
  const readable = toReadablePrompt(prompt, access.type);
  const request = wire.prepare({ prompt: readable, tools }, { sessionId, access, usedTokens });
  progress.called = true;
  const max = granted && { maxOutputTokens: Math.min(granted, request.maxOutputTokens ?? granted) };
  const { stream } = await model.doStream({ ...request, ...max, abortSignal });
  return stream;
}

interface Reading {
  answer: Answer;
  watch: IdleTimeout;
  progress: Progress;
}

/** Returns early when the turn is aborted; throws what the stream reports as its error. */
async function readStream(
  stream: ReadableStream<StreamPart>,
  { answer, watch, emit, signal, progress, madeCalls }: ModelCall & Reading,
): Promise<void> {
  const reader = stream.getReader();
  const toOwn = createCallIds(madeCalls);
  for (;;) {
    watch.resume();
    const { done, value } = await reader.read();
    watch.pause();
    if (done || signal.aborted) return;
    if (value.type === 'error') throw value.error;
    const part = toOwn(value);
    answer.add(part);
    for (const event of toEvents(part)) {
      progress.shown = true;
      progress.counted ||= event.type === 'usage';
      const behind = emit(event);
      if (behind) await untilAborted(behind, signal);
      if (signal.aborted) return;
    }
  }
}

/**
 * A conversation may hold images and files that were sent to another model. What this one cannot be given becomes a word
 * about it, so that the conversation goes on. Pure.
 */
function toReadablePrompt(prompt: readonly Message[], type: ProviderType): Message[] {
  return prompt.map((message) => {
    if (message.role !== 'user') return message;
    const isPlain = message.content.every((part) => isReadablePart(part, type));
    return isPlain
      ? message
      : { ...message, content: message.content.map((part) => toReadablePart(part, type)) };
  });
}

function isReadablePart(part: UserPart, type: ProviderType): boolean {
  return part.type === 'text' || isReadable(type, part.mediaType);
}

function toReadablePart(part: UserPart, type: ProviderType): UserPart {
  if (part.type === 'text' || isReadablePart(part, type)) return part;
  const name = part.filename ? `The file ${part.filename}` : 'An image';
  return { type: 'text', text: `[${name} (${part.mediaType}) is attached here, but you cannot read it.]` };
}

interface IdleTimeout {
  /** The wait for the provider begins, or goes on after a sign of life. */
  resume(): void;
  /** Something else is waited for. */
  pause(): void;
  stop(): void;
}

/** Notices a stream that has fallen silent. Only time spent waiting for the provider counts, not a slow reader's. */
function startIdleTimeout(ms: number, onIdle: () => void): IdleTimeout {
  let listening = true;
  const timer = setTimeout(() => (listening ? onIdle() : timer.refresh()), ms);
  return {
    resume() {
      listening = true;
      timer.refresh();
    },
    pause() {
      listening = false;
    },
    stop: () => clearTimeout(timer),
  };
}
