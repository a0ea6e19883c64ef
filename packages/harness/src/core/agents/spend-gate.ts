// Between a turn and its models: reserves what the next step may cost, settles what it used, and asks a person at a limit
// when the configuration says so.
import type { Config, EngineHost, Session, StepNeed, ToolyardError } from '@toolyard/sdk';
import type { Questions } from '../approvals/questions.ts';
import { isYes } from '../approvals/shared-questions.ts';
import type { Account, Fit } from '../budget/account.ts';
import { type Reached, toLimitError, toText } from '../budget/run-limits.ts';
import { toTokens, type UncountedStep } from '../budget/turn-spending.ts';
import type { Prices } from '../models/prices.ts';

/** For an engine that does not tell before a step what it may cost. */
const minStepUsd = 0.05;
/** With less than this nothing useful is said. */
const minOutputTokens = 256;
/** An answer of this length is not cut. */
const typicalTokens = 1_024;
/** Few answers are longer than this. */
const likelyTokens = 4_096;
/** Of sums of dollars. */
const rounding = 1e-9;

export interface SpendGateDeps {
  questions: Pick<Questions, 'askOnce' | 'acknowledgeAnswers'>;
  prices: Prices;
}

export interface SpendGateScope {
  account: Account;
  session: Session;
  config: Config;
  turnId: string;
  signal: AbortSignal;
}

export type SpendGate = ReturnType<typeof createSpendGate>;

export function createSpendGate({ questions, prices }: SpendGateDeps, scope: SpendGateScope) {
  const { account, session, turnId, signal } = scope;
  let lastStepUsd = 0;
  let settledUsd = 0;
  let lastNeed: Pick<StepNeed, 'inputTokens'> | undefined;

  /** Reserves; at a limit asks, if it may. The error says which limit holds. */
  async function reserve(fit: Fit): Promise<ToolyardError | undefined> {
    for (;;) {
      const reached = await account.reserve(fit, signal);
      if (!reached) {
        // Whoever was told to stop may still go on with the answer after a restart.
        if (!signal.aborted) await questions.acknowledgeAnswers({ turnId, sessionId: session.id });
        return undefined;
      }
      if (!(await ask(questions, reached, scope))) return toLimitError(reached);
    }
  }

  return {
    /** A step of which nobody knows beforehand what it costs. */
    next: () =>
      reserve((left) => {
        const wanted = Math.max(minStepUsd, lastStepUsd);
        if (prices.price(session.model, anyUsage) === 0) return { maxUsd: 0, likelyUsd: 0 };
        return left >= wanted ? { maxUsd: wanted, likelyUsd: wanted } : undefined;
      }),

    /** A step whose size its engine knows. It may be told to say less, when there is not enough left for all. */
    async step({ inputTokens, maxOutputTokens }: StepNeed): ReturnType<EngineHost['step']> {
      const cost = (outputTokens: number) => prices.price(session.model, { inputTokens, outputTokens }) ?? 0;
      let output = maxOutputTokens;
      const limit = await reserve((left) => {
        const max = Math.max(left, account.leftUsd());
        const sizes = toSizes(maxOutputTokens, toAffordable(cost, maxOutputTokens, max));
        const size = sizes.find((each) => cost(each) <= left + rounding);
        output = size ?? maxOutputTokens;
        return size === undefined
          ? undefined
          : { maxUsd: cost(size), likelyUsd: cost(Math.min(size, likelyTokens)) };
      });
      lastNeed = { inputTokens };
      return limit ? { limit: limit.toFailure() } : { maxOutputTokens: output };
    },

    /** A step has ended, and nobody has counted what it used: it is charged by what was sent and said. Says how much. */
    settleUncounted(outputChars: number): number {
      const outputTokens = toTokens(outputChars);
      const step = { inputTokens: lastNeed?.inputTokens, outputTokens, lastUsd: lastStepUsd };
      const usd = toUncountedUsd(prices, session.model, step);
      account.settle(usd, (lastNeed?.inputTokens ?? 0) + outputTokens);
      return usd;
    },

    settle(costUsd: number | null, tokens: number): void {
      lastStepUsd = costUsd ?? 0;
      settledUsd += lastStepUsd;
      account.settle(costUsd, tokens);
    },

    /** The turn has ended: its engine may know of more than its steps have told. */
    close(costUsd: number | null): void {
      if (costUsd !== null && costUsd > settledUsd) account.settle(costUsd - settledUsd, 0);
    },
  };
}

const anyUsage = { inputTokens: 1_000, outputTokens: 1_000 };

/** What a step is charged with that nobody has counted: by what was sent and said, or as the one before it. */
export function toUncountedUsd(prices: Prices, model: string, step: UncountedStep): number {
  const { inputTokens, outputTokens, lastUsd } = step;
  const guess = inputTokens === undefined ? null : prices.price(model, { inputTokens, outputTokens });
  const isFree = prices.price(model, anyUsage) === 0;
  return guess ?? (isFree ? 0 : Math.max(minStepUsd, lastUsd));
}

/**
 * How much a step may say, the most first. Where money is short it takes half of it, so that others can go on beside it;
 * what others hold comes back, so nothing is cut to a few words for their sake.
 */
function toSizes(max: number, affordable: number): number[] {
  if (affordable < Math.min(minOutputTokens, max)) return [];
  const share =
    affordable < max ? Math.max(Math.floor(affordable / 2), Math.min(affordable, typicalTokens)) : max;
  return [share, ...[16_384, 4_096, typicalTokens].filter((size) => size < share)];
}

/** How many tokens may be said for what is left, if not all. Prices are linear. */
function toAffordable(cost: (outputTokens: number) => number, max: number, left: number): number {
  const full = cost(max);
  if (full <= left) return max;
  const input = cost(0);
  const perToken = (full - input) / max;
  return perToken > 0 ? Math.floor((left - input) / perToken) : -1;
}

/** Says whether to look again, as `ask` does. Whatever was answered, the turn goes on. */
export async function askToRaise(
  questions: SpendGateDeps['questions'],
  reached: Reached,
  scope: SpendGateScope,
): Promise<boolean> {
  const { session, turnId, signal } = scope;
  const isRaised = await ask(questions, reached, scope);
  if (!signal.aborted) await questions.acknowledgeAnswers({ turnId, sessionId: session.id });
  return isRaised;
}

/** Says whether to look again: the person wants the run to go on and its limit is raised, or it was before we asked. */
async function ask(
  questions: SpendGateDeps['questions'],
  reached: Reached,
  { account, session, config, turnId, signal }: SpendGateScope,
): Promise<boolean> {
  const { limit, isFixed } = reached;
  // What all runs may spend together is not for one of them to ask about.
  if (config.limits.onLimit !== 'ask' || limit === 'dailyUsd' || isFixed) return false;
  if (!account.isAt(reached)) return true;
  // As much again: as the run was given, or as the agent has whose own budget it is.
  const again = reached.agentId ? reached.max : config.limits[limit];
  const by = Math.min(again || 1, account.room({ ...reached, limit }));
  if (by < rounding) return false;
  const yes = `Continue with ${toText(by)} more (limits.${limit})`;
  const text = `${toLimitError(reached).message} Continue ${reached.agentId ? 'the agent' : 'this run'}?`;
  const options = [{ label: yes }, { label: 'Stop here' }];
  const about = account.toAsked({ ...reached, limit }, by);
  const { row: run } = account.run;
  const asked = await questions.askOnce({ text, options }, about, { session, config, turnId, signal, run });
  // Whoever had asked for all has ended: another asks.
  return isYes(asked) || (asked.state === 'cancelled' && !signal.aborted);
}
