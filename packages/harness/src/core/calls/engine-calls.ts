// The calls of one turn whose engine asks first and runs later: what was decided is found under the call's id, checked
// against what is about to run, and used once.
import type { Settled, ToolCall, ToolCallRow, ToolOutcome, Verdict } from '@toolyard/sdk';
import { toHash } from '../lib/canonical-json.ts';
import type { Allowed, Denied } from './ask-person.ts';
import type { Decided } from './decide.ts';
import { toFailed } from './tool-run.ts';
import type { CallScope, Toolbox } from './toolbox.ts';

export interface EngineCalls {
  /** Takes an id for a call that is about to be decided. False: an earlier call has it. */
  claim(id: string): boolean;
  /** Gives the id back: nothing was decided, so nothing is recorded of the call until it ends. */
  release(id: string): void;
  /** Keeps what was decided until the engine runs the call, and says it in the engine's terms. */
  keep(id: string, decided: Decided): Promise<Verdict>;
  /** Runs a host tool, if that very call was allowed. */
  run(call: ToolCall): Promise<ToolOutcome>;
  /** The engine has run a tool of its own, or refused a call by itself. */
  ended(outcome: ToolOutcome): Promise<void>;
}

export function createEngineCalls(toolbox: Toolbox, scope: CallScope): EngineCalls {
  /** Every call that was ever decided or run here. */
  const known = new Set<string>();
  const allowed = new Map<string, Allowed>();
  const started = new Map<string, ToolCallRow>();
  /** Ids whose first call has ended: what ends under them now is another call. */
  const over = new Set<string>();

  async function settle(id: string, decided: Allowed | Denied): Promise<Settled> {
    if (decided.kind === 'denied') return { decision: 'deny', reason: decided.outcome.text };
    // The decision about an engine's own tool is recorded before the engine may run it.
    if (decided.ready.target.tool) allowed.set(id, decided);
    else {
      const row = await toolbox.start(decided, scope);
      if ('kind' in row) return { decision: 'deny', reason: row.outcome.text };
      started.set(id, row);
    }
    return { decision: 'allow', input: decided.row.input };
  }

  return {
    claim(id) {
      if (known.has(id)) return false;
      known.add(id);
      return true;
    },

    release: (id) => void known.delete(id),

    async keep(id, decided) {
      if (decided.kind !== 'asking') return settle(id, decided);
      return { decision: 'ask', answered: async () => settle(id, await decided.answered()) };
    },

    async run(call) {
      const decision = allowed.get(call.id);
      allowed.delete(call.id);
      if (!decision || decision.row.tool !== call.name) {
        const outcome = toFailed(call, 'The call was not run: there is no decision for it.');
        if (!known.has(call.id)) await toolbox.refused(outcome, scope);
        known.add(call.id);
        return outcome;
      }
      const parsed = decision.ready.target.parse(call.input);
      if (!('input' in parsed) || toHash(parsed.input) !== toHash(decision.row.input)) {
        const outcome = toFailed(call, 'The call was not run: its input changed after the decision.');
        await toolbox.refused(outcome, scope);
        return outcome;
      }
      return toolbox.run(decision, scope);
    },

    async ended(outcome) {
      const row = started.get(outcome.toolCallId);
      started.delete(outcome.toolCallId);
      if (over.has(outcome.toolCallId)) return toolbox.repeated(outcome, scope);
      over.add(outcome.toolCallId);
      if (row) return toolbox.end(row, outcome, scope);
      if (known.has(outcome.toolCallId)) return;
      known.add(outcome.toolCallId);
      return toolbox.refused(outcome, scope);
    },
  };
}
