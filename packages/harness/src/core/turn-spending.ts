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
  /** Of the turn, when it is not that of its session any more. */
  model?: string;
}

export const nothingSpent: Spent = {
  ...{ inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  costUsd: 0,
};

export function toSpent(usage: EventData<'usage'>): Spent {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, costUsd } = usage;
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd };
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
  };
}

export function isAnythingSpent({ inputTokens, outputTokens, costUsd }: Spent): boolean {
  return inputTokens + outputTokens > 0 || costUsd !== 0;
}

/**
 * What the log says the turn had spent before the end. `cutOff`: what a step cost that was under way there, and that
 * nobody has counted.
 */
export async function spentSoFar(
  { reads }: { reads: Pick<StoreReads, 'events'> },
  turn: Pick<Turn, 'id' | 'sessionId' | 'seq'>,
  cutOff: number | null = 0,
): Promise<Spent> {
  const isOwn = createTurnFilter(turn.id);
  const step = createStepWatch();
  let spent = nothingSpent;
  for (let after = turn.seq; ; ) {
    const page = await reads.events(turn.sessionId, after, 500);
    for (const event of page) {
      after = event.seq;
      if (!isOwn(event)) continue;
      step.see(event);
      if (event.type === 'usage') spent = addSpent(spent, toSpent(event.data));
    }
    if (page.length > 0) continue;
    return step.isUnderWay() ? { ...spent, costUsd: addCost(spent.costUsd, cutOff) } : spent;
  }
}

/** A step begins with its turn or after the last result, and is over once it is counted. */
function createStepWatch() {
  const calls = new Set<string>();
  let isUnderWay = false;
  return {
    see({ type, data }: Event): void {
      if (type === 'tool_call_start') calls.add(data.toolCallId);
      if (type === 'tool_result') calls.delete(data.toolCallId);
      if (type === 'usage') isUnderWay = false;
      else if (type === 'turn_start' || (type === 'tool_result' && calls.size === 0)) isUnderWay = true;
    },
    isUnderWay: () => isUnderWay,
  };
}
