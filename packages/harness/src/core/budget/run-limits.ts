// What a run may use, and whether one more agent fits into it. Pure.
import { type Role, type RunLimits, ToolyardError } from '@toolyard/sdk';

export type LimitName = keyof RunLimits | 'dailyUsd';

/** A limit that was reached: what it is, and how far it was used. */
export interface Reached {
  limit: LimitName;
  max: number;
  used: number;
  /** The agent whose own limit it is; none when it is the run's. */
  agentId?: string;
  /** A role says so, not the run: no more of it can be given to the run. */
  isFixed?: boolean;
}

/** What says how much a run may use: the configuration, and the role of its root. */
export interface RunRoot {
  config: { limits: RunLimits };
  role: Pick<Role, 'limits'>;
}

/** What the configuration says and a person has added since, and never more than the role says. */
export function toLimits(
  { config, role: { limits: ofRole = {} } }: RunRoot,
  raised: Partial<RunLimits>,
): RunLimits {
  const of = (name: keyof RunLimits) =>
    Math.min(config.limits[name] + (raised[name] ?? 0), ofRole[name] ?? Number.POSITIVE_INFINITY);
  return {
    maxDepth: of('maxDepth'),
    maxChildren: of('maxChildren'),
    maxAgents: of('maxAgents'),
    spawnPerMinute: of('spawnPerMinute'),
    budgetUsd: of('budgetUsd'),
    tokens: of('tokens'),
    wallMinutes: of('wallMinutes'),
  };
}

export interface DraftFacts {
  limits: RunLimits;
  /** Of the agent that would be drafted. */
  depth: number;
  /** How deep the one that drafts may go, and how many live children it may have. */
  maxDepth: number;
  maxChildren: number;
  liveChildren: number;
  /** In the run. */
  agents: number;
  lastMinute: number;
  minutes: number;
}

/** The first limit that one more agent would pass. */
export function findReached(facts: DraftFacts): Reached | undefined {
  const { limits, depth, maxDepth, maxChildren, liveChildren, agents, lastMinute, minutes } = facts;
  const checks: [LimitName, number, number, boolean][] = [
    ['maxDepth', maxDepth, depth - 1, depth > maxDepth],
    ['maxChildren', maxChildren, liveChildren, liveChildren >= maxChildren],
    ['maxAgents', limits.maxAgents, agents, agents >= limits.maxAgents],
    ['spawnPerMinute', limits.spawnPerMinute, lastMinute, lastMinute >= limits.spawnPerMinute],
    ['wallMinutes', limits.wallMinutes, minutes, minutes >= limits.wallMinutes],
  ];
  const found = checks.find(([, , , isReached]) => isReached);
  return found && { limit: found[0], max: found[1], used: found[2] };
}

const sentences: Record<LimitName, (max: string, used: string, who: string) => string> = {
  maxDepth: (max) =>
    `Agents can be nested ${max} levels deep, and this agent is at the last level. Do the work yourself.`,
  maxChildren: (max) =>
    `The limit of ${max} running agents under one agent is reached. Await or kill one first.`,
  maxAgents: (max, _, who) =>
    `${who} has reached its limit of ${max} agents. Continue with the results you have.`,
  spawnPerMinute: (max, _, who) =>
    `${who} has reached its limit of ${max} new agents per minute. Wait a moment.`,
  budgetUsd: (max, used) => `The budget of $${max} does not cover another step ($${used} spent).`,
  dailyUsd: (max, used) =>
    `Today’s budget of $${max} for all runs does not cover another step ($${used} spent).`,
  tokens: (max, used, who) => `${who} has reached its limit of ${max} tokens (${used} used).`,
  wallMinutes: (max, _, who) => `${who} has reached its limit of ${max} minutes.`,
};

/** What a model, a person and a program hear. */
export function toLimitError(reached: Reached): ToolyardError {
  const { limit, max, used, agentId } = reached;
  const who = agentId ? `The agent ${agentId}, with all agents under it,` : 'This run';
  const message = `${sentences[limit](toText(max), toText(used), who)} (limits.${limit})`;
  return new ToolyardError(toCode(limit), message, { data: { ...reached } });
}

function toCode(limit: LimitName): 'budget_limit' | 'time_limit' | 'agent_limit' {
  if (limit === 'wallMinutes') return 'time_limit';
  return limit === 'budgetUsd' || limit === 'dailyUsd' || limit === 'tokens' ? 'budget_limit' : 'agent_limit';
}

export function toText(amount: number): string {
  return Number(amount.toFixed(4)).toString();
}

const codes: readonly string[] = ['budget_limit', 'time_limit', 'agent_limit', 'step_limit'];

/** Errors that end a turn with the outcome `limit`. */
export function isLimit(thrown: unknown): thrown is ToolyardError {
  return thrown instanceof ToolyardError && codes.includes(thrown.code);
}
