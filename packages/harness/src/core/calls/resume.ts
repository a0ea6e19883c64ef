// A call that a restart interrupted: it waits on for its person, runs once, or its outcome is unknown.
import type { Question, Store, StoreReads, ToolCall, ToolCallRow, ToolOutcome } from '@toolyard/sdk';
import type { Questions } from '../approvals/questions.ts';
import type { Allowed, AskPerson } from './ask-person.ts';
import { type CallEnd, type CallRecord, toCall } from './call-record.ts';
import { type DecideScope, toRepeatKey } from './decide.ts';
import type { OfferedTools } from './offered-tools.ts';
import { outcomeUnknown, type RunScope } from './tool-run.ts';

export const draftTool = 'mcp__toolyard__draft_agent';

/** More than one session drafts. */
const maxDrafted = 10_000;

export interface ResumeDeps {
  store: Store;
  questions: Questions;
  offered: OfferedTools;
  person: AskPerson;
  record: CallRecord;
  run(allowed: Allowed, scope: DecideScope & RunScope): Promise<ToolOutcome>;
}

export type Resume = (row: ToolCallRow, scope: DecideScope & RunScope) => Promise<ToolOutcome>;

export function createResume({ store, questions, offered, person, record, run }: ResumeDeps): Resume {
  return async (row, scope) => {
    if (row.result) return row.result;
    const approval = await store.reads.approvalOf(row.turnId, row.callId);
    if (row.state !== 'started' && approval) {
      const final = await person.answered(row, approval, scope);
      if (final.kind === 'denied') return final.outcome;
      return final.ready.target.tool ? run(final, scope) : allowRepeat(final.row, scope);
    }
    const target = offered.find(row.tool, scope);
    const isHarmless = async () => target?.tool?.waits || (await isInterruptedDraft(store.reads, row));
    if (row.state === 'started' && target?.tool && (await isHarmless()))
      return run({ kind: 'allowed', row, ready: { target, input: row.input } }, scope);
    const asked = await questions.settledOf(row.turnId, row.callId, scope.signal);
    if (asked.length > 0) return record.end(row, scope, toAnswered(toCall(row), asked));
    const result = outcomeUnknown(toCall(row), 'the server stopped during the call');
    return record.end(row, scope, { state: 'unknown', result });
  };
}

/** Only its engine could run it, and that engine has forgotten the call. It may make it again, without asking. */
function allowRepeat(row: ToolCallRow, { memory }: DecideScope): ToolOutcome {
  memory?.allowedBefore.set(toRepeatKey(row), row);
  const text =
    'The person allowed this call, but the server stopped before it ran. Call it again with exactly the same input.';
  return { toolCallId: row.callId, tool: row.tool, text, isError: true };
}

/** It drafts, and nothing of that is stored, as while its person is asked about a limit: to run it again is to run it once. */
export async function isInterruptedDraft(reads: StoreReads, row: ToolCallRow): Promise<boolean> {
  if (row.tool !== draftTool) return false;
  const { sessionId: parentSessionId, turnId, callId } = row;
  const drafted = await reads.dispatches({ parentSessionId, limit: maxDrafted });
  return !drafted.some(({ call }) => call?.turnId === turnId && call.toolCallId === callId);
}

/** The engine has forgotten the call that asked its person something, so its model reads the answers as text. */
function toAnswered(call: ToolCall, asked: readonly Question[]): CallEnd {
  const isAnswered = asked.every(({ state }) => state === 'answered');
  const text = asked.map(formatAnswer).join('\n');
  const result = { toolCallId: call.id, tool: call.name, text, isError: !isAnswered };
  return { state: isAnswered ? 'done' : 'failed', result: isAnswered ? { ...result, output: text } : result };
}

function formatAnswer({ text, state, answer = '' }: Question): string {
  if (state === 'answered')
    return `The person was asked "${text}" and answered: ${[answer].flat().join(', ')}`;
  return state === 'expired'
    ? `The person was asked "${text}". No one answered in time.`
    : `The person was asked "${text}". The question was cancelled.`;
}
