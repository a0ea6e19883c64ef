// What an engine may do during one turn. Sealed when the turn ends: whatever comes later is dropped.
import {
  type Config,
  type Engine,
  type EngineEvent,
  type EngineHost,
  type EventData,
  type EventDraft,
  pause,
  type Question,
  type Role,
  type Session,
  type Store,
  stepLimit,
  type ToolCall,
  ToolyardError,
  type Turn,
  type TurnOutcome,
} from '@toolyard/sdk';
import type { SpendGate } from '../agents/spend-gate.ts';
import type { Questions } from '../approvals/questions.ts';
import { addSpent, nothingSpent, type Spent, toCounted, toSpent } from '../budget/turn-spending.ts';
import type { Decided, TurnMemory } from '../calls/decide.ts';
import { createEngineCalls } from '../calls/engine-calls.ts';
import { toToolSpecs } from '../calls/offered-tools.ts';
import type { CallScope, Toolbox } from '../calls/toolbox.ts';
import type { Logger } from '../lib/ports.ts';
import { isJson, type Log } from '../log/log.ts';
import type { Prices } from '../models/prices.ts';

/** Of what a model said last: more than an agent's summary may have. */
const maxKeptText = 40_000;
/** How long calls that are being decided may keep the end of their turn waiting. */
const decideTimeoutMs = 1_000;

export interface TurnHost extends EngineHost {
  /** Reserves for a first step whose cost its engine does not tell beforehand; or says which limit is in the way. */
  begin(): Promise<ToolyardError | undefined>;
  /** The last thing the model said. */
  lastText(): string;
  /** What the turn has used and cost. */
  spent(outcome: TurnOutcome): Spent;
  /** Resolves when each call of the turn is decided or on record, or after a moment. */
  decided(): Promise<void>;
  seal(): void;
}

interface TurnHostDeps {
  store: Store;
  log: Log;
  toolbox: Toolbox;
  questions: Questions;
  prices: Prices;
  engine: Engine;
  logger: Logger;
}

export interface TurnHostScope {
  session: Session;
  role: Role;
  config: Config;
  turn: Turn;
  signal: AbortSignal;
  memory: TurnMemory;
  /** Steps that it has made before a restart. */
  stepsBefore: number;
  /** What it may spend. */
  gate: SpendGate;
}

export function createTurnHost(
  { store, log, toolbox, questions, prices, engine, logger }: TurnHostDeps,
  scope: TurnHostScope,
): TurnHost {
  const { session, config, turn, signal, gate, memory } = scope;
  const { nativeTools } = engine;
  let steps = scope.stepsBefore;
  let lastText = '';
  /** What comes next is another word. */
  let isTextDone = false;
  /** In the step under way. */
  let outputChars = 0;
  /** Calls that are being decided: nothing is recorded of them yet, so the turn's end cannot settle them. */
  const deciding = new Set<Promise<unknown>>();
  const callScope: CallScope = { ...scope, turnId: turn.id, nativeTools, isOpen: () => !sealed };
  const engineCalls = createEngineCalls(toolbox, callScope);
  const at = { sessionId: session.id, originTurnId: turn.originTurnId };
  let sealed = false;
  let spent: Spent = { ...nothingSpent, model: session.model };

  function toDraft(event: EngineEvent): EventDraft {
    if (event.type !== 'usage') return event;
    const counted = toCounted(event.data);
    const costUsd = prices.price(session.model, counted);
    const data: EventData<'usage'> = { ...counted, costUsd };
    const { inputTokens, outputTokens, cacheReadTokens = 0 } = counted;
    if (inputTokens + outputTokens > 0)
      gate.settle(costUsd, Math.max(0, inputTokens - cacheReadTokens) + outputTokens);
    else if (costUsd === null) data.estimatedUsd = gate.settleUncounted(outputChars);
    else gate.settleUncounted(outputChars);
    outputChars = 0;
    steps += 1;
    spent = addSpent(spent, toSpent(data));
    return { type: 'usage', data };
  }

  /** What is said after a call is the last word; without such, what was said before it. */
  function trackOutput(event: EngineEvent): void {
    if (event.type === 'tool_call_start') isTextDone = true;
    if (event.type === 'text_delta' || event.type === 'thinking_delta') outputChars += event.data.text.length;
    if (event.type !== 'text_delta') return;
    if (isTextDone) lastText = '';
    isTextDone = false;
    if (lastText.length < maxKeptText) lastText += event.data.text;
  }

  /** An engine counts for itself from where it was started: not what it did before a restart. */
  function outOfSteps(): ToolyardError | undefined {
    const { maxSteps } = config.limits;
    if (scope.stepsBefore === 0 || steps < maxSteps) return undefined;
    const { code, message } = stepLimit(maxSteps);
    return new ToolyardError(code, message);
  }

  /** An engine that does not ask for its steps makes one after each call: then there must be something left for it. */
  async function requireNext(): Promise<string | undefined> {
    const reached = engine.asksForSteps ? undefined : (outOfSteps() ?? (await gate.next()));
    if (!reached) return undefined;
    memory.stop(reached);
    return `The call was not run: ${reached.message}`;
  }

  /** Forgotten with the very decision, so that what is decided at the turn's end starts before the host is sealed. */
  function decide(call: ToolCall): Promise<Decided> {
    const decision = toolbox.decide(call, callScope);
    deciding.add(decision);
    const forget = () => void deciding.delete(decision);
    decision.then(forget, forget);
    return decision;
  }

  return {
    signal,
    begin: async () => (engine.asksForSteps ? undefined : gate.next()),
    lastText: () => lastText,
    step: async (need) => {
      if (sealed) return { limit: { code: 'interrupted', message: 'The turn has ended.' } };
      const reached = outOfSteps();
      return reached ? { limit: reached.toFailure() } : gate.step(need);
    },
    emit(event) {
      if (sealed) return undefined;
      trackOutput(event);
      // Only these carry what somebody else made; the rest is text and numbers. Its engine should hear of it.
      const foreign = event.type === 'tool_call_end' || event.type === 'raw';
      if (foreign && !isJson(event)) return refuse('event');
      return log.emit(session.id, toDraft(event));
    },
    checkpoint(step) {
      if (sealed) return Promise.resolve();
      return isJson(step) ? log.defer((tx) => tx.saveCheckpoint(at, step), session.id) : refuse('checkpoint');
    },
    mode: async () => (await store.reads.session(session.id))?.mode ?? session.mode,
    ask: async (asked) => {
      if (sealed) return { state: 'cancelled' };
      const questionScope = { session, config, turnId: turn.id, signal };
      const { state, answer } = await questions.ask(asked, questionScope).catch(orNotAsked);
      if (state === 'answered' && answer !== undefined) return { state, answer };
      return { state: state === 'expired' ? 'expired' : 'cancelled' };
    },
    judge: async (call) => {
      if (sealed) return toDeny('The turn has ended.');
      let isClaimed = false;
      try {
        const reached = await requireNext();
        if (reached) return toDeny(reached);
        isClaimed = engineCalls.claim(call.id);
        if (!isClaimed) return toDeny(`The call was not run: its id ${call.id} was already used.`);
        return await engineCalls.keep(call.id, await decide(call));
      } catch (thrown) {
        if (isClaimed) engineCalls.release(call.id);
        logger.error('could not decide on a call', { cause: thrown, tool: call.name, sessionId: session.id });
        return toDeny('The call was not run: Toolyard could not decide on it.');
      }
    },
    ended: async (outcome) => {
      if (!sealed) await engineCalls.ended(outcome);
    },
    tools: {
      list: () => toToolSpecs(toolbox.list(scope)),
      call: async (call) => {
        if (sealed) throw new ToolyardError('interrupted', 'The turn has ended.');
        return toolbox.finish(await decide(call), callScope);
      },
      run: async (call) => {
        if (sealed) throw new ToolyardError('interrupted', 'The turn has ended.');
        return engineCalls.run(call);
      },
    },
    spent(outcome) {
      const costUsd = prices.settle(spent.costUsd, outcome.costUsd);
      return { ...spent, costUsd, chargedUsd: Math.max(spent.chargedUsd, costUsd ?? 0) };
    },
    async decided() {
      if (deciding.size === 0) return;
      const done = new AbortController();
      Promise.allSettled(deciding).then(() => done.abort('decided'));
      await pause(decideTimeoutMs, done.signal);
    },
    seal: () => {
      sealed = true;
    },
  };
}

const toDeny = (reason: string) => ({ decision: 'deny', reason }) as const;

/** Who asks too much is not asked about: the model hears that it got no answer. */
function orNotAsked(thrown: unknown): Pick<Question, 'state' | 'answer'> {
  if (thrown instanceof ToolyardError && thrown.code === 'too_many_pending') return { state: 'cancelled' };
  throw thrown;
}

/** A refusal that an engine may ignore. */
function refuse(what: string): Promise<never> {
  const refused = Promise.reject(
    new ToolyardError('internal', `The engine sent an ${what} that is not JSON.`),
  );
  refused.catch(() => {});
  return refused;
}
