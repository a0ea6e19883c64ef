// An Engine in memory that follows a script instead of a model: fast, no network, for tests of everything around it.
// It keeps the port's promises (checkpoints, continue, resume, abort) unless a step tells it to break them.
import type {
  Engine,
  EngineHost,
  EngineSession,
  EngineSpec,
  NativeTool,
  ToolCall,
  ToolOutcome,
  TurnOutcome,
} from '../engine/engine.ts';
import { pause, untilAborted } from '../lib/wait.ts';
import { toText } from '../protocol/content/content.ts';
import { conformanceReply } from './scripted-replies.ts';
import type { ScriptedMessage, ScriptedTurn, Step } from './scripted-step.ts';
import { createScriptedTranscript, type ScriptedTranscript } from './scripted-transcript.ts';

export interface ScriptedEngineOptions {
  id?: string;
  nativeTools?: NativeTool[];
  /** Called once per model step. After a message without calls the turn is complete. */
  reply?: (turn: ScriptedTurn) => Step[];
}

export function createScriptedEngine(options: ScriptedEngineOptions = {}): Engine {
  const { id = 'scripted', nativeTools = [], reply = conformanceReply } = options;
  return {
    id,
    nativeTools,
    start: async (spec) => createScriptedSession(spec, reply),
  };
}

function createScriptedSession(spec: EngineSpec, reply: (turn: ScriptedTurn) => Step[]): EngineSession {
  const transcript = createScriptedTranscript(spec.resume?.entries ?? []);
  const closing = new AbortController();
  return {
    async prompt(input, host) {
      const signal = AbortSignal.any([host.signal, closing.signal]);
      if (input.kind === 'message') transcript.hear(toText(input.content), host);
      else transcript.settle(input.settled, host);
      if (transcript.isAnswered()) return { outcome: 'completed' };
      return drive({ ...host, signal }, transcript, reply, spec.maxSteps);
    },
    close: async () => closing.abort(),
  };
}

async function drive(
  host: EngineHost,
  transcript: ScriptedTranscript,
  reply: (turn: ScriptedTurn) => Step[],
  maxSteps: number,
): Promise<TurnOutcome> {
  for (let spoken = 0; spoken < maxSteps; spoken += 1) {
    const message = await speak(host, reply(transcript.toTurn()), transcript.nextCallId);
    if ('outcome' in message) return message;
    transcript.say(message, host);
    if (message.calls.length === 0) return { outcome: 'completed' };
    const outcomes = await Promise.all(message.calls.map((call) => answer(call, message, host)));
    transcript.settle(outcomes, host);
    if (host.signal.aborted) return { outcome: 'interrupted' };
  }
  const message = `The turn stopped after ${maxSteps} model steps. Send a message to let it go on.`;
  return { outcome: 'limit', error: { code: 'step_limit', message } };
}

async function speak(
  host: EngineHost,
  steps: Step[],
  nextCallId: () => string,
): Promise<ScriptedMessage | TurnOutcome> {
  const message: ScriptedMessage = { text: '', calls: [], native: [] };
  for (const step of steps) {
    if (host.signal.aborted) return { outcome: 'interrupted' };
    if ('throw' in step) throw new Error(step.throw);
    if ('fail' in step) return { outcome: 'failed', error: step.fail };
    if ('pauseMs' in step) await pause(step.pauseMs, host.signal);
    else if ('untilAborted' in step) await pause(maxTimerMs, host.signal);
    else if ('until' in step) await untilAborted(step.until, host.signal);
    else await express(step, message, host, nextCallId);
  }
  if (host.signal.aborted) return { outcome: 'interrupted' };
  await emit(host, { type: 'usage', data: { inputTokens: 10, outputTokens: steps.length } });
  return host.signal.aborted ? { outcome: 'interrupted' } : message;
}

/** The longest wait a timer can hold. */
const maxTimerMs = 2 ** 31 - 1;

async function express(
  step: Extract<Step, { text: string } | { thinking: string } | { calls: unknown } | { native: unknown }>,
  message: ScriptedMessage,
  host: EngineHost,
  nextCallId: () => string,
): Promise<void> {
  if ('text' in step) {
    message.text += step.text;
    return emit(host, { type: 'text_delta', data: { text: step.text } });
  }
  if ('thinking' in step) return emit(host, { type: 'thinking_delta', data: { text: step.thinking } });
  for (const { tool, input } of 'calls' in step ? step.calls : [step.native]) {
    const call = { id: nextCallId(), name: tool, input };
    message.calls.push(call);
    if ('native' in step) message.native.push(call.id);
    await emitCall(host, call);
  }
}

async function emitCall(host: EngineHost, { id, name, input }: ToolCall): Promise<void> {
  // Input that is a string stands for JSON the model got wrong: it streams, and is handed over, as it is.
  const json = typeof input === 'string' ? input : JSON.stringify(input);
  const half = Math.ceil(json.length / 2);
  await emit(host, { type: 'tool_call_start', data: { toolCallId: id, tool: name } });
  await emit(host, { type: 'tool_call_delta', data: { toolCallId: id, delta: json.slice(0, half) } });
  await emit(host, { type: 'tool_call_delta', data: { toolCallId: id, delta: json.slice(half) } });
  await emit(host, { type: 'tool_call_end', data: { toolCallId: id, input } });
}

async function emit(host: EngineHost, event: Parameters<EngineHost['emit']>[0]): Promise<void> {
  if (host.signal.aborted) return;
  const behind = host.emit(event);
  if (behind) await untilAborted(behind, host.signal);
}

async function answer(call: ToolCall, message: ScriptedMessage, host: EngineHost): Promise<ToolOutcome> {
  const work = message.native.includes(call.id) ? judge(call, host) : host.tools.call(call);
  const outcome = await untilAborted(work, host.signal);
  const text = 'The turn was interrupted while this call ran.';
  return outcome ?? { toolCallId: call.id, tool: call.name, text, isError: true };
}

/** A native tool does nothing here: what matters is that the host was asked. */
async function judge(call: ToolCall, host: EngineHost): Promise<ToolOutcome> {
  const verdict = await host.judge(call);
  const settled = verdict.decision === 'ask' ? await verdict.answered() : verdict;
  const isError = settled.decision === 'deny';
  const text = isError ? settled.reason : 'Allowed.';
  const outcome = { toolCallId: call.id, tool: call.name, text, isError };
  await host.ended(outcome);
  return outcome;
}
