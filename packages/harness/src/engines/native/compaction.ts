// Makes room in a window that is nearly full: the model itself writes a summary of what was said, and goes on from it.
// One entry records that; until it is stored nothing has changed, so a crash costs the summary and nothing else.
import { type EngineHost, untilAborted } from '@toolyard/sdk';
import { isNearFull, maxSummaryShare, type Plan, planCompaction } from './compaction-plan.ts';
import type { Message } from './models/provider.ts';
import type { Answer } from './step/answer.ts';
import type { CallEnd } from './step/model-call.ts';
import { reserveStep, runStep, type StepCall, type StepDeps } from './step/step.ts';
import type { Entry } from './transcript/entries.ts';
import { toScale, toSize, toTokens } from './transcript/token-estimate.ts';
import type { Transcript } from './transcript/transcript.ts';

export interface Compacting {
  transcript: Transcript;
  record(entry: Entry): void;
  host: EngineHost;
  /** How the model is called; the prompt is this file's. */
  call: Omit<StepCall, 'prompt' | 'emit'>;
  fingerprint: string;
  /** Of the instructions and tools. */
  base: number;
}

/** Each round halves what is too much; more than this many would mean that nothing is gained. */
const maxRounds = 8;
/** Of a window that was said to be larger than it is. */
const shrink = 0.7;

export type Room = 'enough' | 'made' | 'interrupted' | 'failed';

/** Leaves the conversation as it is unless it is nearly too long, or said to be by `force`. */
export async function makeRoom(deps: StepDeps, compacting: Compacting, force = false): Promise<Room> {
  const { transcript, base } = compacting;
  let window = toWindow(compacting, force);
  if (window === undefined) return 'enough';
  let room: Room = 'enough';
  let refused: CompactionFailure | undefined;
  for (let round = 0; round < maxRounds; round += 1) {
    const isDue = isNearFull(toSize(transcript, base), window) || refused || (force && round === 0);
    const plan = isDue ? planCompaction(transcript, base, window) : undefined;
    if (!plan) break;
    const made = await compact(deps, compacting, { ...plan, window });
    if (made === 'interrupted' || made === 'failed') return made;
    refused = made === 'made' ? undefined : made;
    if (refused && !refused.isTooLong) break;
    // Even what was to be summarised is more than it reads.
    if (refused) window *= shrink;
    else room = 'made';
  }
  if (!refused) return room;
  await emitNote(compacting, `The conversation could not be summarised to make room. ${refused.why}`, {
    before: Math.round(toSize(transcript, base)),
  });
  return 'failed';
}

/** What its provider has just found too long is longer than its window, whatever was said of that. */
function toWindow({ transcript, base, call }: Compacting, isTooLong: boolean): number | undefined {
  const { window } = call.found.access;
  if (!isTooLong) return window;
  return Math.min(window ?? Number.POSITIVE_INFINITY, toSize(transcript, base) * 0.9);
}

/** Why there is no summary. */
interface CompactionFailure {
  why: string;
  isTooLong: boolean;
}

async function compact(
  deps: StepDeps,
  compacting: Compacting,
  { send, keep, window }: Plan & { window: number },
): Promise<'made' | 'interrupted' | 'failed' | CompactionFailure> {
  const { transcript, record, host, call, fingerprint, base } = compacting;
  const before = Math.round(toSize(transcript, base));
  const prompt = transcript.prompt(fingerprint);
  const unsent = transcript.entries.length - send;
  const granted = await reserveStep(host, call);
  // The step after it will meet the same limit, and say so.
  if ('limit' in granted) return 'failed';
  const ended = await runStep(deps, {
    ...call,
    ...granted,
    prompt: [...prompt.slice(0, prompt.length - unsent), request],
    // What it costs is told; its words are for the model alone.
    emit: (event) => (event.type === 'usage' ? host.emit(event) : undefined),
  });
  if (ended.end === 'interrupted') return 'interrupted';
  const words = ended.end === 'answered' && !isDeclined(ended.answer) ? ended.answer.text().trim() : '';
  if (words === '') return toCompactionFailure(ended);
  const scale = toScale(transcript, base);
  const summary = toBounded(words, window, scale);
  record({ compacted: { summary, keep, scale } });
  const after = Math.round(toSize(transcript, base));
  const note = `The conversation was summarised to make room (about ${before} → ${after} tokens). The log still has all of it; the model continues from its summary and the last ${keep} messages.`;
  await emitNote(compacting, note, { before, after, keep, summary });
  return 'made';
}

function toCompactionFailure(ended: CallEnd): CompactionFailure {
  if (ended.end !== 'failed') return { why: 'The model wrote no summary.', isTooLong: false };
  const { failure, isTooLong = false } = ended.fault;
  return { why: failure.message, isTooLong };
}

function isDeclined(answer: Answer): boolean {
  return answer.stopReason() === 'content-filter';
}

/** Whatever a model writes, the summary leaves room for a conversation. */
function toBounded(summary: string, window: number, scale: number): string {
  const max = window * maxSummaryShare;
  const size = toTokens(summary) * scale;
  if (size <= max) return summary;
  return `${summary.slice(0, Math.floor(summary.length * (max / size))).toWellFormed()}\n[…]`;
}

async function emitNote({ host, call }: Compacting, note: string, facts: object): Promise<void> {
  const behind = host.emit({
    type: 'raw',
    data: { engine: 'native', message: { note, type: 'compaction', ...facts } },
  });
  if (behind) await untilAborted(behind, call.signal);
}

const request: Message = {
  role: 'user',
  content: [
    {
      type: 'text',
      text: [
        '[Toolyard] This conversation is about to exceed your context window. Write a summary that lets you continue without it.',
        'Keep: what the person wants and has decided, in their own words where they matter; findings and work done, with names, paths, numbers and ids; what failed and why; open points and next steps.',
        'Leave out: pleasantries and anything superseded.',
        'Answer with the summary only, at most 1500 words. Do not call a tool or answer anything else yet.',
      ].join('\n'),
    },
  ],
};
