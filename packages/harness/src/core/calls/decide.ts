// One decision about one call: is the tool offered, is the input valid, what do hooks and the policy say, and must a
// person be asked. Records what it refuses; runs nothing.
import { type ToolCall, type ToolCallRow, type ToolInfo, ToolyardError } from '@toolyard/sdk';
import { toHash } from '../lib/canonical-json.ts';
import { findNearest } from '../lib/did-you-mean.ts';
import type { Clock, Logger } from '../lib/ports.ts';
import { settleWithin, stillRunning } from '../lib/settle-within.ts';
import type { Allowed, Asking, AskPerson, AskScope, Denied } from './ask-person.ts';
import type { GatherFacts, ReadyCall } from './call-facts.ts';
import type { CallRecord } from './call-record.ts';
import { type Hooks, runBefore } from './hooks.ts';
import type { OfferedTools, Target } from './offered-tools.ts';
import * as policy from './policy.ts';

export type Decided = Denied | Allowed | Asking;

/** What a turn remembers between its calls. */
export interface TurnMemory {
  /** The last call, and how often it was made in a row. */
  last: { key: string; count: number };
  /** Calls of an engine's own tools that a person allowed before a restart: each may be repeated once. */
  allowedBefore: Map<string, ToolCallRow>;
  /** Ends the turn: a limit has been reached. */
  stop(reached: ToolyardError): void;
}

export interface DecideScope extends AskScope {
  /** Absent when the call is the whole turn. */
  memory?: TurnMemory;
}

export interface DecideDeps {
  offered: OfferedTools;
  hooks: Hooks;
  gatherFacts: GatherFacts;
  person: AskPerson;
  record: CallRecord;
  clock: Clock;
  logger: Logger;
}

/** Why a call goes no further: words for the model, and the rule for the audit. */
interface Refused {
  refused: string;
  rule: string;
}

const interrupted: Refused = {
  refused: 'The call was not run: the turn was interrupted.',
  rule: 'interrupted',
};

export type Decide = (call: ToolCall, scope: DecideScope) => Promise<Decided>;

export function createDecide(deps: DecideDeps): Decide {
  const { offered, hooks, gatherFacts, person, record, clock, logger } = deps;

  async function deny(row: ToolCallRow, scope: DecideScope, why: Refused): Promise<Denied> {
    return { kind: 'denied', outcome: await record.deny(row, scope, why.refused, why.rule) };
  }

  /** Is there such a tool for this role, is the input valid, and do hooks agree? */
  async function prepare(call: ToolCall, scope: DecideScope): Promise<ReadyCall | Refused> {
    const { session, turnId, signal } = scope;
    if (signal.aborted) return interrupted;
    const target = offered.find(call.name, scope);
    if (!target)
      return { refused: formatUnknown(call.name, offered.list(scope)), rule: 'not offered to this role' };
    const parsed = parseInput(target, call.input);
    if ('refused' in parsed) return parsed;
    const { input } = parsed;
    const hooked = { sessionId: session.id, turnId, toolCallId: call.id, tool: call.name, input };
    const verdict = await settleWithin(runBefore(hooks, hooked, logger), signal, 0);
    if (verdict === stillRunning) return interrupted;
    if (!verdict) return parsed;
    return 'deny' in verdict
      ? { refused: verdict.deny, rule: 'hook beforeToolCall' }
      : parseInput(target, verdict.input);
  }

  /** A model that ignores as many refusals as it made calls will ignore more: then the turn ends. */
  async function denyLoop(row: ToolCallRow, scope: DecideScope, memory: TurnMemory): Promise<Denied> {
    const { maxRepeats } = scope.config.limits;
    const denied = await deny(row, scope, {
      refused: `The call was not run: you made it ${maxRepeats} times in a row with the same input. Try something else, or report what blocks you.`,
      rule: `limits.maxRepeats is ${maxRepeats}`,
    });
    const { count } = memory.last;
    if (count < 2 * maxRepeats) return denied;
    const message = `The turn stopped: ${row.tool} was called ${count} times in a row with the same input, though it was refused after ${maxRepeats}. (limits.maxRepeats)`;
    memory.stop(new ToolyardError('step_limit', message));
    return denied;
  }

  return async (call, scope) => {
    const { session, turnId, memory } = scope;
    const row: ToolCallRow = {
      turnId,
      callId: call.id,
      sessionId: session.id,
      tool: call.name,
      input: call.input,
      state: 'asked',
      askedAt: new Date(clock.now()).toISOString(),
    };
    const ready = await prepare(call, scope);
    if ('refused' in ready) return deny(row, scope, ready);
    row.input = ready.input;
    if (memory && isLoop(row, ready, memory, scope.config.limits.maxRepeats))
      return denyLoop(row, scope, memory);
    const repeats = memory && takeAllowedBefore(row, memory);
    if (repeats) {
      const by = { rule: `allowed as call ${repeats.callId} before a restart` };
      return { kind: 'allowed', row, ready, by, repeats };
    }
    const facts = await gatherFacts(ready, scope);
    const { verdict, rule, grantId } = policy.decide(facts);
    if (verdict === 'allow') return { kind: 'allowed', row, ready, by: { rule, grantId } };
    if (verdict === 'ask') return person.ask(row, ready, { ...facts, rule }, scope);
    return deny(row, scope, { refused: `The call was not run: ${rule}.`, rule });
  };
}

function parseInput(target: Target, input: unknown): ReadyCall | Refused {
  const parsed = target.parse(input);
  if ('input' in parsed) return { target, input: parsed.input };
  return {
    refused: `Invalid input for ${target.name}: ${parsed.invalid.slice(0, 2_000)}`,
    rule: 'invalid input',
  };
}

function formatUnknown(name: string, offered: readonly ToolInfo[]): string {
  const guess = findNearest(
    name,
    offered.map((info) => info.name),
  );
  return `There is no tool ${name.slice(0, 100)}.${guess ? ` Did you mean ${guess}?` : ''}`;
}

/** Under which a call allowed before a restart is found again. */
export function toRepeatKey({ tool, input }: Pick<ToolCallRow, 'tool' | 'input'>): string {
  return `${tool} ${toHash(input)}`;
}

/** The very same call again and again brings nothing new. What only waits may be called as often as one likes. */
function isLoop(row: ToolCallRow, { target }: ReadyCall, { last }: TurnMemory, maxRepeats: number): boolean {
  if (target.tool?.waits) return false;
  const key = toRepeatKey(row);
  last.count = last.key === key ? last.count + 1 : 1;
  last.key = key;
  return last.count > maxRepeats;
}

/** What a person allowed before a restart: it counts for one call of the same tool with the same input. */
function takeAllowedBefore(row: ToolCallRow, { allowedBefore }: TurnMemory): ToolCallRow | undefined {
  if (allowedBefore.size === 0) return undefined;
  const key = toRepeatKey(row);
  const before = allowedBefore.get(key);
  allowedBefore.delete(key);
  return before;
}
