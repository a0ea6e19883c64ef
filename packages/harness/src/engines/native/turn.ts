// The loop of one turn: step, calls, step, until the model has said its last word. Each message is recorded as soon as
// it is whole, and before any of its calls runs.
import type { EngineHost, Failure, ToolSpec, TurnOutcome } from '@toolyard/sdk';
import type { Answer } from './answer.ts';
import { runCalls } from './calls.ts';
import { reusedCallId, stepLimit, toStopFailure } from './failures.ts';
import type { Model, ModelTools } from './provider.ts';
import { runStep, type StepDeps } from './step.ts';
import { type Entry, type Transcript, toAnswerEntry, toPartialEntry, toResultsEntry } from './transcript.ts';

export interface Turn {
  model: Model;
  transcript: Transcript;
  /** Adds to the transcript and stores it. */
  record(entry: Entry): void;
  host: EngineHost;
  /** Aborts with the host's, and when the session is closed. */
  signal: AbortSignal;
  maxSteps: number;
  /** Ids of calls that were made before it is gone on with: none may be made again. */
  madeBefore: readonly string[];
}

export async function runTurn(deps: StepDeps, turn: Turn): Promise<TurnOutcome> {
  const { model, transcript, host, signal, maxSteps, madeBefore } = turn;
  const tools = toModelTools(host.tools.list());
  const seen = new Set(madeBefore);
  for (let step = 0; step < maxSteps; step += 1) {
    const call = { model, prompt: transcript.prompt, tools, emit: host.emit, signal };
    const ended = await runStep(deps, call);
    if (ended.end !== 'answered') keepWords(turn, ended.answer);
    if (ended.end === 'interrupted') return { outcome: 'interrupted' };
    if (ended.end === 'failed') return failed(ended.fault.failure);
    const outcome = await settle(turn, ended.answer, seen);
    if (outcome) return outcome;
  }
  return { outcome: 'limit', error: stepLimit(maxSteps) };
}

/** Records a whole answer and runs its calls; gives the turn's outcome unless the model is to go on. */
async function settle(turn: Turn, answer: Answer, seen: Set<string>): Promise<TurnOutcome | undefined> {
  const { record, host, signal } = turn;
  const calls = answer.calls();
  const ids = calls.map(({ id }) => id);
  const isRepeated = (id: string, at: number) => seen.has(id) || ids.indexOf(id) !== at;
  const failure = toStopFailure(answer) ?? (ids.some(isRepeated) ? reusedCallId() : undefined);
  if (failure) {
    if (answer.stopReason() !== 'content-filter') keepWords(turn, answer);
    return failed(failure);
  }
  if (calls.length > 0 && signal.aborted) {
    keepWords(turn, answer);
    return { outcome: 'interrupted' };
  }
  if (answer.isWorthKeeping()) record(toAnswerEntry(answer.content()));
  if (calls.length === 0) return { outcome: 'completed' };
  for (const id of ids) seen.add(id);
  record(toResultsEntry(calls, await runCalls(calls, host, signal)));
  return signal.aborted ? { outcome: 'interrupted' } : undefined;
}

/** What a person has read of an answer that broke off stays in the conversation; its calls never ran and do not. */
function keepWords({ record }: Turn, answer: Answer): void {
  const words = answer.words();
  if (words.length > 0) record(toPartialEntry(words));
}

function toModelTools(specs: readonly ToolSpec[]): ModelTools {
  return specs.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    inputSchema,
  }));
}

function failed(error: Failure): TurnOutcome {
  return { outcome: 'failed', error };
}
