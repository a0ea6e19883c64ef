// What an engine may do during one turn. Sealed when the turn ends: whatever comes later is dropped.
import {
  addCost,
  type Engine,
  type EngineEvent,
  type EngineHost,
  type EventDraft,
  type Session,
  type ToolCall,
  ToolyardError,
  type Turn,
  type Verdict,
} from '@toolyard/sdk';
import type { Log } from './log.ts';
import type { Price } from './prices.ts';
import type { Toolbox } from './toolbox.ts';

export interface TurnHost extends EngineHost {
  /** What the turn has cost so far. */
  cost(): number | null;
  seal(): void;
}

interface TurnHostDeps {
  log: Log;
  toolbox: Toolbox;
  price: Price;
  engine: Engine;
}

export function createTurnHost(
  { log, toolbox, price, engine }: TurnHostDeps,
  { session, turn, signal }: { session: Session; turn: Turn; signal: AbortSignal },
): TurnHost {
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
    emit: (event) => (sealed ? undefined : log.emit(session.id, toDraft(event))),
    checkpoint: async (step) => {
      if (!sealed) await log.defer((tx) => tx.saveCheckpoint(at, step));
    },
    judge: async (call) => (sealed ? deny('The turn has ended.') : judge(engine, call)),
    tools: {
      list: () =>
        toolbox.list().map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      call: async (call) => {
        if (sealed) throw new ToolyardError('interrupted', 'The turn has ended.');
        return toolbox.call(call, { session, turnId: turn.id, signal, isOpen: () => !sealed });
      },
    },
    cost: () => cost,
    seal: () => {
      sealed = true;
    },
  };
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
