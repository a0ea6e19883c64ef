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
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0,
  chargedUsd: 0,
};

/** No step has more: what is beyond is no count. */
const maxTokens = 1e12;

/** Providers count, and may be wrong. A fraction is rounded; with what is no count at all, nobody has counted the step. */
export function toCounted(usage: Omit<EventData<'usage'>, 'costUsd'>): Usage {
  const [inputTokens, outputTokens] = [toCount(usage.inputTokens), toCount(usage.outputTokens)];
  if (inputTokens === undefined || outputTokens === undefined) return { inputTokens: 0, outputTokens: 0 };
  const [cacheReadTokens, cacheWriteTokens] = [
    toCount(usage.cacheReadTokens),
    toCount(usage.cacheWriteTokens),
  ];
  return {
    inputTokens,
    outputTokens,
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
  };
}

function toCount(tokens: number | undefined): number | undefined {
  return tokens !== undefined && tokens >= 0 && tokens <= maxTokens ? Math.ceil(tokens) : undefined;
}

export function toSpent(usage: EventData<'usage'>): Spent {
  const { costUsd } = usage;
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = toCounted(usage);
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
  const watch = createStepWatch();
  let spent = nothingSpent;
  for await (const event of eventsOf(reads, turn)) {
    watch.see(event);
    if (event.type === 'usage') spent = addSpent(spent, toSpent(event.data));
  }
  const step = count && watch.underWay();
  return step ? addUncounted(spent, step, count(step)) : spent;
}

/** How many steps the log knows of the turn. */
export async function stepsSoFar(
  { reads }: { reads: Pick<StoreReads, 'events'> },
  turn: Pick<Turn, 'id' | 'sessionId' | 'seq'>,
): Promise<number> {
  let steps = 0;
  for await (const { type } of eventsOf(reads, turn)) if (type === 'usage') steps += 1;
  return steps;
}

async function* eventsOf(
  reads: Pick<StoreReads, 'events'>,
  { id, sessionId, seq }: Pick<Turn, 'id' | 'sessionId' | 'seq'>,
): AsyncGenerator<Event> {
  const isOwn = createTurnFilter(id);
  for (let after = seq; ; ) {
    const page = await reads.events(sessionId, after, 500);
    if (page.length === 0) return;
    after = page.at(-1)?.seq ?? after;
    yield* page.filter(isOwn);
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
  const chars = { input: 0, output: 0 };
  return {
    see({ type, data }: Event): void {
      if (type === 'tool_call_start') calls.add(data.toolCallId);
      if (type === 'tool_result') calls.delete(data.toolCallId);
      if (type === 'tool_result') chars.input += JSON.stringify(data.output)?.length ?? 0;
      if (type === 'text_delta' || type === 'thinking_delta') chars.output += data.text.length;
      if (type === 'usage') {
        isUnderWay = false;
        before = data;
        Object.assign(chars, { input: 0, output: 0 });
      } else if (type === 'turn_start' || (type === 'tool_result' && calls.size === 0)) isUnderWay = true;
    },
    underWay(): UncountedStep | undefined {
      if (!isUnderWay) return undefined;
      const step = { outputTokens: toTokens(chars.output), lastUsd: before?.costUsd ?? 0 };
      if (!before?.inputTokens) return step;
      return { ...step, inputTokens: before.inputTokens + before.outputTokens + toTokens(chars.input) };
    },
  };
}
