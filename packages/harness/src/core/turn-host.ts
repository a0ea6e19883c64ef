// What an engine may do during one turn. Sealed when the turn ends: whatever comes later is dropped.
import {
  addCost,
  type Config,
  type Engine,
  type EngineEvent,
  type EngineHost,
  type EventDraft,
  type Role,
  type Session,
  type ToolCall,
  ToolyardError,
  type Turn,
  type Verdict,
} from '@toolyard/sdk';
import type { Log } from './log.ts';
import type { Price } from './prices.ts';
import type { Questions } from './questions.ts';
import type { Toolbox } from './toolbox.ts';

export interface TurnHost extends EngineHost {
  /** What the turn has cost so far. */
  cost(): number | null;
  seal(): void;
}

interface TurnHostDeps {
  log: Log;
  toolbox: Toolbox;
  questions: Questions;
  price: Price;
  engine: Engine;
}

export function createTurnHost(
  { log, toolbox, questions, price, engine }: TurnHostDeps,
  scope: { session: Session; role: Role; config: Config; turn: Turn; signal: AbortSignal },
): TurnHost {
  const { session, role, config, turn, signal } = scope;
  const at = { sessionId: session.id, originTurnId: turn.originTurnId };
  let sealed = false;
  let cost: number | null = 0;

  function toDraft(event: EngineEvent): EventDraft {
    if (event.type !== 'usage') return event;
    const costUsd = price(session.model, event.data);
    cost = addCost(cost, costUsd);
    return { type: 'usage', data: { ...event.data, costUsd } };
  }

  return {
    signal,
    emit(event) {
      if (sealed) return undefined;
      // Only these carry what somebody else made; the rest is text and numbers.
      const foreign = event.type === 'tool_call_end' || event.type === 'raw';
      if (foreign && !isJson(event)) return refuse('event');
      return log.emit(session.id, toDraft(event));
    },
    checkpoint(step) {
      if (sealed) return Promise.resolve();
      return isJson(step) ? log.defer((tx) => tx.saveCheckpoint(at, step)) : refuse('checkpoint');
    },
    ask: async (asked) => {
      if (sealed) return { state: 'cancelled' };
      const { state, answer } = await questions.ask(asked, { session, config, turnId: turn.id, signal });
      if (state === 'answered' && answer !== undefined) return { state, answer };
      return { state: state === 'expired' ? 'expired' : 'cancelled' };
    },
    judge: async (call) => (sealed ? deny('The turn has ended.') : judge(engine, call)),
    tools: {
      list: () =>
        toolbox.list(scope).map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      call: async (call) => {
        if (sealed) throw new ToolyardError('interrupted', 'The turn has ended.');
        return toolbox.call(call, { session, role, config, turnId: turn.id, signal, isOpen: () => !sealed });
      },
    },
    cost: () => cost,
    seal: () => {
      sealed = true;
    },
  };
}

/** What cannot be written down stops here, where it hurts only the engine that sent it. */
function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

/** A refusal that an engine may ignore. */
function refuse(what: string): Promise<never> {
  const refused = Promise.reject(
    new ToolyardError('internal', `The engine sent an ${what} that is not JSON.`),
  );
  refused.catch(() => {});
  return refused;
}

/** Until people can be asked, an engine's own tools may read and nothing else. */
function judge(engine: Engine, call: ToolCall): Verdict {
  const tool = engine.nativeTools.find(({ name }) => name === call.name);
  if (!tool) return deny(`There is no tool ${call.name}.`);
  return tool.effect === 'read' ? { decision: 'allow' } : deny(`${call.name} needs a person's approval.`);
}

function deny(reason: string): Verdict {
  return { decision: 'deny', reason };
}
