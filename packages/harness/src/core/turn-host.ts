// What an engine may do during one turn. Sealed when the turn ends: whatever comes later is dropped.
import {
  type Config,
  type Engine,
  type EngineEvent,
  type EngineHost,
  type EventDraft,
  pause,
  type Question,
  type Role,
  type Session,
  type Store,
  type ToolCallRow,
  ToolyardError,
  type Turn,
  type TurnOutcome,
} from '@toolyard/sdk';
import { createJudgedCalls } from './judged-calls.ts';
import { isJson, type Log } from './log.ts';
import type { Logger } from './ports.ts';
import type { Prices } from './prices.ts';
import type { Questions } from './questions.ts';
import type { Toolbox } from './toolbox.ts';
import { addSpent, nothingSpent, type Spent, toSpent } from './turn-spending.ts';

/** How long calls that are being decided may keep the end of their turn waiting. */
const decideWithinMs = 1_000;

export interface TurnHost extends EngineHost {
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
  allowedBefore: Map<string, ToolCallRow>;
}

export function createTurnHost(
  { store, log, toolbox, questions, prices, engine, logger }: TurnHostDeps,
  scope: TurnHostScope,
): TurnHost {
  const { session, config, turn, signal } = scope;
  const { nativeTools } = engine;
  const deciding = new Set<Promise<unknown>>();
  const callScope = { ...scope, turnId: turn.id, nativeTools, deciding, isOpen: () => !sealed };
  const judged = createJudgedCalls(toolbox, callScope);
  const at = { sessionId: session.id, originTurnId: turn.originTurnId };
  let sealed = false;
  let spent: Spent = { ...nothingSpent, model: session.model };

  function toDraft(event: EngineEvent): EventDraft {
    if (event.type !== 'usage') return event;
    const costUsd = prices.price(session.model, event.data);
    const data = { ...event.data, costUsd };
    spent = addSpent(spent, toSpent(data));
    return { type: 'usage', data };
  }

  return {
    signal,
    emit(event) {
      if (sealed) return undefined;
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
      const within = { session, config, turnId: turn.id, signal };
      const { state, answer } = await questions.ask(asked, within).catch(orNotAsked);
      if (state === 'answered' && answer !== undefined) return { state, answer };
      return { state: state === 'expired' ? 'expired' : 'cancelled' };
    },
    judge: async (call) => {
      if (sealed) return { decision: 'deny', reason: 'The turn has ended.' };
      try {
        return await judged.judge(call);
      } catch (thrown) {
        logger.error('a call could not be judged', { cause: thrown, tool: call.name, sessionId: session.id });
        return { decision: 'deny', reason: 'The call could not be judged, so it was not run.' };
      }
    },
    ended: async (outcome) => {
      if (!sealed) await judged.ended(outcome);
    },
    tools: {
      list: () =>
        toolbox.list(scope).map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      call: async (call) => {
        if (sealed) throw new ToolyardError('interrupted', 'The turn has ended.');
        return toolbox.call(call, callScope);
      },
      run: async (call) => {
        if (sealed) throw new ToolyardError('interrupted', 'The turn has ended.');
        return judged.run(call);
      },
    },
    spent: ({ costUsd }) => ({ ...spent, costUsd: prices.settle(spent.costUsd, costUsd) }),
    async decided() {
      const done = new AbortController();
      Promise.allSettled(deciding).then(() => done.abort());
      if (deciding.size > 0) await pause(decideWithinMs, done.signal);
    },
    seal: () => {
      sealed = true;
    },
  };
}

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
