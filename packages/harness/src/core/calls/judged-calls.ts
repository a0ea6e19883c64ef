// The calls of one turn whose engine asks first and runs later: what was decided is found under the call's id, checked
// against what is about to run, and used once.
import type { Settled, ToolCall, ToolCallRow, ToolOutcome, Verdict } from '@toolyard/sdk';
import { toHash } from '../lib/canonical.ts';
import type { Allowed, Decided } from './call-decision.ts';
import type { CallScope } from './call-scope.ts';
import { toFailed } from './tool-run.ts';
import type { Toolbox } from './toolbox.ts';

export interface JudgedCalls {
  judge(call: ToolCall): Promise<Verdict>;
  run(call: ToolCall): Promise<ToolOutcome>;
  ended(outcome: ToolOutcome): Promise<void>;
}

export function createJudgedCalls(toolbox: Toolbox, scope: CallScope): JudgedCalls {
  /** Every call that was ever judged or run here. */
  const known = new Set<string>();
  const allowed = new Map<string, Allowed>();
  const started = new Map<string, ToolCallRow>();
  /** Ids whose first call has ended: what ends under them now is another call. */
  const over = new Set<string>();

  async function toVerdict(id: string, decided: Decided): Promise<Verdict> {
    if (decided.kind !== 'asking') return settle(id, decided);
    return { decision: 'ask', answered: async () => settle(id, await decided.answered()) };
  }

  async function settle(id: string, decided: Exclude<Decided, { kind: 'asking' }>): Promise<Settled> {
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
    async judge(call) {
      if (known.has(call.id)) return { decision: 'deny', reason: `The call ${call.id} was made twice.` };
      known.add(call.id);
      try {
        return await toVerdict(call.id, await toolbox.decide(call, scope));
      } catch (thrown) {
        // Nothing is recorded of it yet: its end will be.
        known.delete(call.id);
        throw thrown;
      }
    },

    async run(call) {
      const decision = allowed.get(call.id);
      allowed.delete(call.id);
      if (!decision || decision.row.tool !== call.name) {
        const outcome = toFailed(call, 'The call was not run: nobody has decided on it.');
        if (!known.has(call.id)) await toolbox.refused(outcome, scope);
        known.add(call.id);
        return outcome;
      }
      const parsed = decision.ready.target.parse(call.input);
      if (!('input' in parsed) || toHash(parsed.input) !== toHash(decision.row.input)) {
        const outcome = toFailed(call, 'The call was not run: its input is not what was decided on.');
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
