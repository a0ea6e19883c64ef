// What is read of a transcript → events and turns of our log. Pure.
import type { Content, EventDraft, Failure, TranscriptFact, TurnEnd } from '@toolyard/sdk';

export interface TranscriptPlan {
  drafts: (EventDraft & { at: string })[];
  begun: { id: string; content: Content; at: string }[];
  ended: { id: string; outcome: TurnEnd; error?: Failure; at: string }[];
  warnings: string[];
  /** The turn that has no end yet. */
  openTurnId?: string;
}

/** Stands for the words of a turn that nobody's words began. */
const emptyPrompt = '(went on by itself)';

export interface PlanContext {
  path: string;
  openTurnId?: string | undefined;
  newTurnId(): string;
}

export function toPlan(facts: readonly TranscriptFact[], context: PlanContext): TranscriptPlan {
  const { path, openTurnId, newTurnId } = context;
  const plan: TranscriptPlan = { drafts: [], begun: [], ended: [], warnings: [] };
  let open = openTurnId;

  function begin(at: string, content?: Content): void {
    end(at, { outcome: 'interrupted' });
    open = newTurnId();
    plan.begun.push({ id: open, content: content ?? emptyPrompt, at });
    if (content !== undefined)
      plan.drafts.push({ type: 'user_message', at, data: { content, turnId: open } });
    plan.drafts.push({ type: 'turn_start', at, data: { turnId: open } });
  }

  function end(at: string, how: { outcome: TurnEnd; error?: Failure }): void {
    if (open === undefined) return;
    if (how.error) plan.drafts.push({ type: 'error', at, data: how.error });
    plan.drafts.push({ type: 'turn_end', at, data: { turnId: open, costUsd: null, ...how } });
    plan.ended.push({ id: open, at, ...how });
    open = undefined;
  }

  for (const fact of facts) {
    const { kind, at } = fact;
    if (kind === 'message') {
      if (fact.isAdded && open) {
        plan.drafts.push({ type: 'user_message', at, data: { content: fact.content, turnId: open } });
      } else begin(at, fact.content);
    } else if (kind === 'end') {
      end(at, { outcome: fact.outcome, ...('error' in fact && { error: fact.error }) });
    } else if (kind === 'damage') {
      const { offset, length, message } = fact;
      plan.warnings.push(message);
      const data = { path, offset, length };
      plan.drafts.push({ type: 'error', at, data: { code: 'transcript_damaged', message, data } });
    } else {
      if (open === undefined && isAgentOutput(fact.event)) begin(at);
      plan.drafts.push({ ...fact.event, at });
    }
  }
  return { ...plan, ...(open !== undefined && { openTurnId: open }) };
}

/** What an agent says or does, as against notes about it. */
function isAgentOutput({ type }: EventDraft): boolean {
  return type === 'text_delta' || type === 'thinking_delta' || type === 'tool_call_start';
}
