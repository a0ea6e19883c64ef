// One call of the model, from request to the end of its stream: what it says goes up at the reader's pace. Never
// rejects; an abort, a silence and an error each come back as an end.
import { type EngineHost, untilAborted } from '@toolyard/sdk';
import { type Answer, createAnswer } from './answer.ts';
import { type Fault, fellSilent, streamCut, toFault } from './failures.ts';
import type { Message, Model, ModelTools, StreamPart } from './provider.ts';
import { type SilenceWatch, watchSilence } from './silence.ts';
import { toEvents } from './translate.ts';

export interface ModelCall {
  model: Model;
  prompt: Message[];
  tools: ModelTools;
  emit: EngineHost['emit'];
  /** Aborts when the turn does. */
  signal: AbortSignal;
  /** A stream that says nothing for this long counts as cut. */
  silenceMs: number;
}

export type CallEnd =
  | { end: 'answered'; answer: Answer }
  | { end: 'interrupted'; answer: Answer }
  /** `shown`: something of it has been emitted. */
  | { end: 'failed'; answer: Answer; fault: Fault; shown: boolean };

export async function callModel(call: ModelCall): Promise<CallEnd> {
  const answer = createAnswer();
  const request = new AbortController();
  const stop = () => request.abort();
  const progress = { shown: false, silent: false };
  const watch = watchSilence(call.silenceMs, () => {
    progress.silent = true;
    stop();
  });
  call.signal.addEventListener('abort', stop, { once: true });
  try {
    if (call.signal.aborted) return { end: 'interrupted', answer };
    const stream = await openStream(call, request.signal);
    await readStream(stream, { ...call, answer, watch, progress });
    if (answer.isFinished()) return { end: 'answered', answer };
    stop();
    if (call.signal.aborted) return { end: 'interrupted', answer };
    return { end: 'failed', answer, fault: streamCut(), shown: progress.shown };
  } catch (thrown) {
    stop();
    if (call.signal.aborted) return { end: 'interrupted', answer };
    const fault = progress.silent ? fellSilent(call.silenceMs) : toFault(thrown);
    return { end: 'failed', answer, fault, shown: progress.shown };
  } finally {
    watch.stop();
    call.signal.removeEventListener('abort', stop);
  }
}

async function openStream(
  { model, prompt, tools }: ModelCall,
  abortSignal: AbortSignal,
): Promise<ReadableStream<StreamPart>> {
  const { stream } = await model.doStream({
    prompt,
    tools,
    abortSignal,
    // A ping is a sign of life while the model thinks.
    providerOptions: { anthropic: { includePings: true } },
  });
  return stream;
}

interface Reading {
  answer: Answer;
  watch: SilenceWatch;
  progress: { shown: boolean };
}

/** Returns early when the turn is aborted; throws what the stream reports as its error. */
async function readStream(
  stream: ReadableStream<StreamPart>,
  { answer, watch, emit, signal, progress }: ModelCall & Reading,
): Promise<void> {
  const reader = stream.getReader();
  for (;;) {
    watch.listen();
    const { done, value: part } = await reader.read();
    watch.rest();
    if (done || signal.aborted) return;
    if (part.type === 'error') throw part.error;
    answer.add(part);
    for (const event of toEvents(part)) {
      progress.shown = true;
      const behind = emit(event);
      if (behind) await untilAborted(behind, signal);
      if (signal.aborted) return;
    }
  }
}
