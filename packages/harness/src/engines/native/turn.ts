// The loop of one turn: step, calls, step, until the model has said its last word. Each message is recorded as soon as
// it is whole, and before any of its calls runs.
import {
  type EngineHost,
  type Failure,
  pause,
  stepLimit,
  type ToolCall,
  type ToolOutcome,
  type TurnOutcome,
  untilAborted,
} from '@toolyard/sdk';
import { type Compacting, makeRoom } from './compaction.ts';
import type { FoundModel } from './models/models.ts';
import type { Answer } from './step/answer.ts';
import { type Fault, toStopFailure } from './step/failures.ts';
import type { CallEnd } from './step/model-call.ts';
import { reserveStep, runStep, type StepDeps } from './step/step.ts';
import { callIdsOf } from './transcript/call-ids.ts';
import { type Entry, toAnswerEntry, toPartialEntry, toResultsEntry } from './transcript/entries.ts';
import { type PromptBase, toPromptBase } from './transcript/prompt-base.ts';
import { toSize } from './transcript/token-estimate.ts';
import { findAttached, type Transcript } from './transcript/transcript.ts';

export interface Turn {
  found: FoundModel;
  sessionId: string;
  instructions: string;
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

/** How often room is made anew for a step that is still too long. */
const maxContextRetries = 3;

/** What of a turn holds for all its steps. */
interface TurnContext extends Turn, PromptBase {
  /** Ids of the calls of the conversation so far. */
  madeCalls: Set<string>;
  /** A summary was tried and failed: not again in this turn. */
  cannotCompact: boolean;
}

export async function runTurn(deps: StepDeps, turn: Turn): Promise<TurnOutcome> {
  const context = toTurnContext(turn);
  for (let step = 0; step < turn.maxSteps; step += 1) {
    const ended = await askModel(deps, context);
    if (ended.end === 'failed' || ended.end === 'interrupted') keepWords(turn, ended.answer);
    if (ended.end === 'interrupted') return { outcome: 'interrupted' };
    if (ended.end === 'limit') return { outcome: 'limit', error: ended.error };
    if (ended.end === 'failed') return failed(toFailure(turn, ended.fault));
    const outcome = await settle(context, ended.answer);
    if (outcome) return outcome;
  }
  return { outcome: 'limit', error: stepLimit(turn.maxSteps) };
}

function toTurnContext(turn: Turn): TurnContext {
  const { found, instructions, host, madeBefore, transcript } = turn;
  const { provider, model } = found.access;
  const { tools, fingerprint, base } = toPromptBase(`${provider}/${model}`, instructions, host.tools.list());
  return {
    ...turn,
    tools,
    fingerprint,
    base,
    madeCalls: new Set([...madeBefore, ...callIdsOf(transcript.entries.map(({ message }) => message))]),
    cannotCompact: false,
  };
}

/** There is not enough left for another step. */
interface Limited {
  end: 'limit';
  error: Failure;
}

/** One step, with room made for it before, or after it was found too long. */
async function askModel(deps: StepDeps, context: TurnContext): Promise<CallEnd | Limited> {
  await findRoom(deps, context, false);
  for (let refusals = 1; ; refusals += 1) {
    const ended = await callOnce(deps, context);
    const isTooLong = ended.end === 'failed' && ended.fault.isTooLong === true && !ended.shown;
    if (!isTooLong || refusals > maxContextRetries) return ended;
    if ((await findRoom(deps, context, true)) !== 'made') return ended;
  }
}

async function findRoom(deps: StepDeps, context: TurnContext, force: boolean) {
  if (context.cannotCompact) return 'failed';
  const room = await makeRoom(deps, toCompacting(context), force);
  context.cannotCompact = room === 'failed';
  return room;
}

async function callOnce(deps: StepDeps, context: TurnContext): Promise<CallEnd | Limited> {
  const { transcript, fingerprint, host } = context;
  const { call } = toCompacting(context);
  const granted = await reserveStep(host, call);
  if ('limit' in granted) return { end: 'limit', error: granted.limit };
  return runStep(deps, { ...call, ...granted, prompt: transcript.prompt(fingerprint), emit: host.emit });
}

function toCompacting(context: TurnContext): Compacting {
  const { found, sessionId, transcript, record, host, signal, tools, fingerprint, base, madeCalls } = context;
  const usedTokens = toSize(transcript, base);
  const call = { found, sessionId, tools, madeCalls, signal, usedTokens };
  return { transcript, record, host, fingerprint, base, call };
}

/** Records a whole answer and runs its calls; gives the turn's outcome unless the model is to go on. */
async function settle(context: TurnContext, answer: Answer): Promise<TurnOutcome | undefined> {
  const { record, host, signal, madeCalls, fingerprint } = context;
  const calls = answer.calls();
  const failure = toStopFailure(answer);
  if (failure) {
    if (answer.stopReason() !== 'content-filter') keepWords(context, answer);
    return failed(failure);
  }
  if (calls.length > 0 && signal.aborted) {
    keepWords(context, answer);
    return { outcome: 'interrupted' };
  }
  const tokens = answer.tokens();
  if (answer.isWorthKeeping())
    record(toAnswerEntry(answer.content(), { ground: fingerprint, ...(tokens && { tokens }) }));
  if (calls.length === 0) return { outcome: 'completed' };
  for (const { id } of calls) madeCalls.add(id);
  record(toResultsEntry(calls, await runCalls(calls, host, signal)));
  return signal.aborted ? { outcome: 'interrupted' } : undefined;
}

/** What a person has read of an answer that broke off stays in the conversation; its calls never ran and do not. */
function keepWords({ record }: Pick<Turn, 'record'>, answer: Answer): void {
  const words = answer.words();
  if (words.length > 0) record(toPartialEntry(words));
}

/** What the provider could not use is not sent to it again. */
function toFailure({ transcript, record }: Turn, { failure, ofAttached }: Fault): Failure {
  if (!ofAttached || findAttached(transcript.entries) < 0) return failure;
  record({ refused: true });
  return ofAttached;
}

function failed(error: Failure): TurnOutcome {
  return { outcome: 'failed', error };
}

/** How long an aborted turn still waits for calls that are stopping, so that their own words are kept. */
const stoppingMs = 250;

/**
 * Hands the calls of one message to the host, all at once. One outcome per call: after an abort, calls that have not
 * answered in time are left behind, and their outcomes say so.
 */
async function runCalls(
  calls: readonly ToolCall[],
  host: Pick<EngineHost, 'tools'>,
  signal: AbortSignal,
): Promise<ToolOutcome[]> {
  const outcomes = new Map<string, ToolOutcome>();
  const all = Promise.all(
    calls.map(async (call) => {
      outcomes.set(call.id, await run(call, host));
    }),
  );
  await untilAborted(all, signal);
  if (outcomes.size < calls.length) await Promise.race([all, pause(stoppingMs)]);
  return calls.map((call) => outcomes.get(call.id) ?? toLeftBehind(call));
}

/** The port says a call never rejects; a host that breaks its word must not break the turn. */
async function run(call: ToolCall, host: Pick<EngineHost, 'tools'>): Promise<ToolOutcome> {
  try {
    return await host.tools.call(call);
  } catch {
    return { toolCallId: call.id, tool: call.name, text: 'The call failed.', isError: true };
  }
}

function toLeftBehind(call: ToolCall): ToolOutcome {
  const text = 'The turn was interrupted during this call. It may or may not have had its effect.';
  return { toolCallId: call.id, tool: call.name, text, isError: true, outcome: 'unknown' };
}
