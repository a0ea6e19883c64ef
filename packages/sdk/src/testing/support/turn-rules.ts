// The order a turn must keep, watched from the host's side: notes each breach in a sentence, never throws.
import type { EngineEvent, ToolCall, TurnOutcome } from '../../engine/engine.ts';
import { isEqual } from './assertions.ts';

export interface TurnRules {
  readonly breaches: readonly string[];
  emitted(event: EngineEvent): void;
  called(call: ToolCall): void;
  judged(call: ToolCall): void;
  /** Runs what was judged before. */
  ran(call: ToolCall): void;
  breached(sentence: string): void;
  checkpointed(step: unknown): void;
  /** `held`: an emit has answered with a promise, and until it resolves the engine must hold still. */
  mark(change: { held?: boolean; aborted?: true }): void;
  ended(outcome: TurnOutcome | undefined): void;
}

interface SeenCall {
  tool: string;
  deltas: string;
  input?: unknown;
  state: 'streaming' | 'complete' | 'handed over';
}

export function createTurnRules(): TurnRules {
  const breaches: string[] = [];
  const calls = new Map<string, SeenCall>();
  const now = { held: false, aborted: false, ended: false, checkpoints: 0 };
  const breach = (sentence: string) => void breaches.push(sentence);

  const mind = (what: string) => {
    if (now.ended) breach(`${what} after the turn had ended`);
    if (now.held) breach(`${what} while the emit before it was still pending`);
  };
  const handOver = (call: ToolCall, what: string) => {
    mind(`${what} ${call.id}`);
    if (now.aborted) breach(`${what} ${call.id} after the abort`);
    const seen = calls.get(call.id);
    breaches.push(...breachesOfHandOver(call, seen));
    if (seen) seen.state = 'handed over';
  };

  return {
    breaches,
    emitted(event) {
      // What an aborted step used is little, and the last of it.
      if (event.type !== 'usage' || !now.aborted || now.ended) mind(`emitted ${event.type}`);
      breaches.push(...breachesOfEvent(event, calls));
    },
    called(call) {
      handOver(call, 'called the tool for');
      if (now.checkpoints === 0) breach(`called ${call.name} before any checkpoint`);
    },
    judged: (call) => handOver(call, 'asked about'),
    ran(call) {
      mind(`ran ${call.id}`);
      if (now.aborted) breach(`ran ${call.id} after the abort`);
      if (now.checkpoints === 0) breach(`ran ${call.name} before any checkpoint`);
      const seen = calls.get(call.id);
      if (seen && !isEqual(seen.input, call.input))
        breach(`ran ${call.id} with another input than it emitted`);
    },
    breached: breach,
    checkpointed(step) {
      if (now.ended) breach('made a checkpoint after the turn had ended');
      if (!isEqual(step, toJson(step))) breach('made a checkpoint that is not plain JSON');
      now.checkpoints += 1;
    },
    mark: (change) => void Object.assign(now, change),
    ended(outcome) {
      now.ended = true;
      if (outcome && ['completed', 'limit'].includes(outcome.outcome)) breaches.push(...breachesOfEnd(calls));
    },
  };
}

function breachesOfEvent(event: EngineEvent, calls: Map<string, SeenCall>): string[] {
  switch (event.type) {
    case 'tool_call_start': {
      const { toolCallId, tool } = event.data;
      if (calls.has(toolCallId)) return [`used the call id ${toolCallId} twice`];
      calls.set(toolCallId, { tool, deltas: '', state: 'streaming' });
      return [];
    }
    case 'tool_call_delta': {
      const seen = calls.get(event.data.toolCallId);
      if (seen?.state !== 'streaming')
        return [`emitted a delta of ${event.data.toolCallId}, which is not open`];
      seen.deltas += event.data.delta;
      return [];
    }
    case 'tool_call_end': {
      const seen = calls.get(event.data.toolCallId);
      if (seen?.state !== 'streaming') return [`ended ${event.data.toolCallId}, which is not open`];
      seen.state = 'complete';
      seen.input = event.data.input;
      if (seen.deltas === '' || isEqual(toParsed(seen.deltas), seen.input)) return [];
      return [`the deltas of ${event.data.toolCallId} do not add up to its input`];
    }
    case 'usage':
      return [event.data.inputTokens, event.data.outputTokens].every((n) => Number.isInteger(n) && n >= 0)
        ? []
        : ['emitted usage that is not whole numbers'];
    default:
      return [];
  }
}

function breachesOfEnd(calls: Map<string, SeenCall>): string[] {
  const left = [...calls].filter(([, { state }]) => state !== 'handed over');
  return left.map(([id, { tool }]) => `ended well without calling ${tool} (${id})`);
}

function breachesOfHandOver(call: ToolCall, seen: SeenCall | undefined): string[] {
  if (!seen) return [`called ${call.id} without emitting it first`];
  if (seen.state === 'streaming') return [`called ${call.id} before its tool_call_end`];
  if (seen.state === 'handed over') return [`called ${call.id} more than once`];
  const breaches: string[] = [];
  if (seen.tool !== call.name) breaches.push(`emitted ${call.id} as ${seen.tool} but called ${call.name}`);
  if (!isEqual(seen.input, call.input)) breaches.push(`called ${call.id} with another input than it emitted`);
  return breaches;
}

/** Broken JSON stays the string it came as, which is also how an engine hands it over. */
function toParsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

function toJson(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}
