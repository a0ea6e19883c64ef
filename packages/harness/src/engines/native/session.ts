// One conversation: keeps its transcript in memory between turns, opens each turn on it and closes it. Never rejects.
import {
  type ContextUsage,
  type EngineHost,
  type EngineSession,
  type EngineSpec,
  type TurnInput,
  type TurnOutcome,
  untilAborted,
} from '@toolyard/sdk';
import type { Models } from './models/models.ts';
import { nothingToContinue, toInternal } from './step/failures.ts';
import type { StepDeps } from './step/step.ts';
import { type Entry, toResultsEntry, toUserEntry } from './transcript/entries.ts';
import { toModelTools } from './transcript/prompt-base.ts';
import { type Sized, toSize, toTokens } from './transcript/token-estimate.ts';
import { createTranscript, type Transcript } from './transcript/transcript.ts';
import { runTurn } from './turn.ts';

export interface SessionDeps extends StepDeps {
  models: Models;
}

export function createNativeSession(deps: SessionDeps, spec: EngineSpec): EngineSession {
  const closing = new AbortController();
  let transcript: Transcript | undefined;
  const read = () => {
    transcript ??= createTranscript(spec.instructions, spec.resume?.entries ?? []);
    return transcript;
  };

  async function drive(input: TurnInput, host: EngineHost, signal: AbortSignal): Promise<TurnOutcome> {
    const current = read();
    const { record, lost } = createRecord(current, host);
    open(current, input, record);
    if (current.lastState() === 'empty') return { outcome: 'failed', error: nothingToContinue() };
    if (current.lastState() === 'answered') return { outcome: 'completed' };
    const found = await untilAborted(deps.models.find(spec.model), signal);
    if (!found || signal.aborted) return { outcome: 'interrupted' };
    const { maxSteps, sessionId, instructions } = spec;
    const madeBefore = input.kind === 'continue' ? input.settled.map(({ toolCallId }) => toolCallId) : [];
    const turn = {
      found,
      sessionId,
      instructions,
      transcript: current,
      record,
      host,
      signal,
      maxSteps,
      madeBefore,
    };
    const outcome = await runTurn(deps, turn);
    return lost.length > 0 ? { outcome: 'failed', error: toInternal(lost[0]) } : outcome;
  }

  return {
    async prompt(input, host) {
      const signal = AbortSignal.any([host.signal, closing.signal]);
      try {
        return await drive(input, host, signal);
      } catch (thrown) {
        if (signal.aborted) return { outcome: 'interrupted' };
        return { outcome: 'failed', error: toInternal(thrown) };
      }
    },
    async contextUsage(): Promise<ContextUsage | undefined> {
      // Without access to the model there is no window to speak of.
      const found = await deps.models.find(spec.model).catch(() => undefined);
      return found && toContextUsage(read(), spec, found.access.window);
    },
    // A reason of our own: making the usual one takes longer than the rest of a close.
    close: async () => closing.abort('closed'),
  };
}

/** Adds to the transcript and stores it, without waiting: the host keeps the order. `lost` holds what it could not store. */
function createRecord(
  transcript: Transcript,
  host: EngineHost,
): { record(entry: Entry): void; lost: unknown[] } {
  const lost: unknown[] = [];
  return {
    lost,
    record(entry) {
      transcript.append(entry);
      host.checkpoint({ append: [entry] }).catch((thrown) => lost.push(thrown));
    },
  };
}

/** Brings the transcript to where the next step can start: each call has a result, and the last word is not the model's. */
function open(transcript: Transcript, input: TurnInput, record: (entry: Entry) => void): void {
  const calls = transcript.openCalls();
  const settled = input.kind === 'continue' ? input.settled : [];
  if (calls.length > 0) record(toResultsEntry(calls, settled));
  if (input.kind === 'message') record(toUserEntry(input.content));
  else if (transcript.lastState() === 'broken off') record({ withdrawn: true });
}

/** How full the window is, for a person who asks: by the provider's count of the last step, parted by our own guess. */
function toContextUsage(
  sized: Sized,
  { instructions, tools }: Pick<EngineSpec, 'instructions' | 'tools'>,
  window: number | undefined,
): ContextUsage | undefined {
  if (window === undefined) return undefined;
  const fixed = [
    { name: 'instructions', tokens: toTokens(instructions) },
    { name: 'tools', tokens: toTokens(JSON.stringify(toModelTools(tools))) },
    { name: 'summary', tokens: toTokens(sized.summary ?? '') },
  ];
  const base = fixed.reduce((sum, { tokens }) => sum + tokens, 0) - toTokens(sized.summary ?? '');
  const used = Math.round(toSize(sized, base));
  const rest = used - fixed.reduce((sum, { tokens }) => sum + tokens, 0);
  const parts = [...fixed, { name: 'messages', tokens: Math.max(0, rest) }];
  return { usedTokens: used, windowTokens: window, parts: parts.filter(({ tokens }) => tokens > 0) };
}
