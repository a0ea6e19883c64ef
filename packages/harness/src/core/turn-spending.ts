// What a turn has used and cost: added up as it goes, or from the log, the only witness after a crash.
import {
  addCost,
  createTurnFilter,
  type Event,
  type EventData,
  type StoreReads,
  type Turn,
  type Usage,
} from '@toolyard/sdk';

export interface Spent extends Required<Usage> {
  /** `null`: not known. */
  costUsd: number | null;
  /** What budgets count for it: what is known of its cost, and a guess where nobody has counted. */
  chargedUsd: number;
  /** Of that, what no budget knows of yet. */
  uncharged?: { usd: number; tokens: number };
  /** Of the turn, when it is not that of its session any more. */
  model?: string;
}

export const nothingSpent: Spent = {
  ...{ inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  ...{ costUsd: 0, chargedUsd: 0 },
};

export function toSpent(usage: EventData<'usage'>): Spent {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, costUsd } = usage;
  const chargedUsd = costUsd ?? usage.estimatedUsd ?? 0;
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd, chargedUsd };
}

export function addSpent(one: Spent, other: Spent): Spent {
  return {
    ...one,
    ...other,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    costUsd: addCost(one.costUsd, other.costUsd),
    chargedUsd: one.chargedUsd + other.chargedUsd,
  };
}

export function isAnythingSpent({ inputTokens, outputTokens, costUsd }: Spent): boolean {
  return inputTokens + outputTokens > 0 || costUsd !== 0;
}

/** A step that was called, and of which nobody has said what it used. */
export interface UncountedStep {
  /** What it was sent, as far as the step before it tells. */
  inputTokens?: number | undefined;
  outputTokens: number;
  /** Of the step before it. */
  lastUsd: number;
}

/** What such a step costs, if that is known, and what it is charged with. */
export type CountStep = (step: UncountedStep) => Pick<Spent, 'costUsd' | 'chargedUsd'>;

/** What the log says the turn had spent before the end. `count`: what a step cost that was under way there. */
export async function spentSoFar(
  { reads }: { reads: Pick<StoreReads, 'events'> },
  turn: Pick<Turn, 'id' | 'sessionId' | 'seq'>,
  count?: CountStep,
): Promise<Spent> {
  const isOwn = createTurnFilter(turn.id);
  const watch = createStepWatch();
  let spent = nothingSpent;
  for (let after = turn.seq; ; ) {
    const page = await reads.events(turn.sessionId, after, 500);
    for (const event of page) {
      after = event.seq;
      if (!isOwn(event)) continue;
      watch.see(event);
      if (event.type === 'usage') spent = addSpent(spent, toSpent(event.data));
    }
    if (page.length > 0) continue;
    const step = count && watch.underWay();
    return step ? addUncounted(spent, step, count(step)) : spent;
  }
}

function addUncounted(spent: Spent, step: UncountedStep, counted: ReturnType<CountStep>): Spent {
  const tokens = (step.inputTokens ?? 0) + step.outputTokens;
  return {
    ...addSpent(spent, { ...nothingSpent, ...counted }),
    uncharged: { usd: counted.chargedUsd, tokens },
  };
}

/** Of what nobody has counted: letters to a token, about. */
export function toTokens(chars: number): number {
  return Math.ceil(chars / 3);
}

/** A step begins with its turn or after the last result, and is over once it is counted. */
function createStepWatch() {
  const calls = new Set<string>();
  let isUnderWay = false;
  let before: EventData<'usage'> | undefined;
  /** Since the step before. */
  const chars = { heard: 0, said: 0 };
  return {
    see({ type, data }: Event): void {
      if (type === 'tool_call_start') calls.add(data.toolCallId);
      if (type === 'tool_result') calls.delete(data.toolCallId);
      if (type === 'tool_result') chars.heard += JSON.stringify(data.output)?.length ?? 0;
      if (type === 'text_delta' || type === 'thinking_delta') chars.said += data.text.length;
      if (type === 'usage') {
        isUnderWay = false;
        before = data;
        Object.assign(chars, { heard: 0, said: 0 });
      } else if (type === 'turn_start' || (type === 'tool_result' && calls.size === 0)) isUnderWay = true;
    },
    underWay(): UncountedStep | undefined {
      if (!isUnderWay) return undefined;
      const told = { outputTokens: toTokens(chars.said), lastUsd: before?.costUsd ?? 0 };
      if (!before?.inputTokens) return told;
      return { ...told, inputTokens: before.inputTokens + before.outputTokens + toTokens(chars.heard) };
    },
  };
}
