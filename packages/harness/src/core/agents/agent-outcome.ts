// How an agent's work ends: its state, why, and the result that others read. Pure.
import {
  type AgentResult,
  type DispatchPatch,
  type DispatchRow,
  type Event,
  type Failure,
  type StoreReads,
  ToolyardError,
  type TurnHead,
  type TurnOutcome,
} from '@toolyard/sdk';

const maxSummaryLength = 20_000;

/** `error`: that of the outcome, without what is secret in it. */
export function toEnd(
  row: DispatchRow,
  outcome: TurnOutcome,
  { lastText, error }: { lastText: string; error: Failure | undefined },
): Pick<DispatchPatch, 'status' | 'result' | 'error'> {
  const why = error ?? toError(outcome);
  const result = { ...toResult(row, lastText), costUsd: row.costUsd };
  return { status: toStatus(outcome), result, ...(why && { error: why }) };
}

export function isTimeUp(outcome: TurnOutcome): boolean {
  return outcome.outcome === 'limit' && outcome.error.code === 'time_limit';
}

export function toStatus(outcome: TurnOutcome): 'done' | 'failed' | 'killed' | 'expired' {
  if (outcome.outcome === 'completed') return 'done';
  if (outcome.outcome === 'interrupted') return 'killed';
  return isTimeUp(outcome) ? 'expired' : 'failed';
}

function toError(outcome: TurnOutcome): Failure | undefined {
  if ('error' in outcome) return outcome.error;
  if (outcome.outcome !== 'interrupted') return undefined;
  return new ToolyardError('killed', 'The agent was stopped before it finished.').toFailure();
}

/** What was reported; else the last thing it said, in this attempt or before it, marked as that. */
function toResult({ report, saidBefore }: DispatchRow, lastText: string): AgentResult {
  if (report) return { ...report, reported: true };
  const summary = lastText.trim().slice(0, maxSummaryLength).toWellFormed();
  return {
    summary: summary || saidBefore || 'The agent said nothing.',
    changes: [],
    issues: [],
    questions: [],
    reported: false,
  };
}

const excerptLength = 500;

export function toExcerpt(content: unknown): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return text.length > excerptLength ? `${text.slice(0, excerptLength - 1).toWellFormed()}…` : text;
}

/** Further back nobody looks. */
const maxEvents = 500;

/** What an agent said last, by its log: nobody else knows of a turn that was cut off by the end of the server. */
export async function readLastText(reads: StoreReads, { sessionId }: TurnHead): Promise<string> {
  const last = await reads.lastSeq(sessionId);
  return toLastText(await reads.events(sessionId, Math.max(0, last - maxEvents), maxEvents));
}

/** What was said after the last call; without such, what was said before it. */
function toLastText(events: readonly Event[]): string {
  let words = '';
  let isTextDone = true;
  for (const { type, data } of events) {
    if (type === 'turn_start' || type === 'user_message') words = '';
    if (type === 'tool_call_start') isTextDone = true;
    if (type !== 'text_delta') continue;
    words = isTextDone ? data.text : words + data.text;
    isTextDone = false;
  }
  return words;
}
