// What the scripted model says under load: the first word of a message is its plan. A turn with calls ends with a
// report of what the model was told came of them, so that a test can compare it with what is recorded.
import type { ToolOutcome } from '@toolyard/sdk';
import type { ScriptedTurn, Step } from '@toolyard/sdk/testing';
import { recordTool } from './ledger-toolkit.ts';

export const plans = ['talk', 'call', 'pair', 'steps'] as const;

export interface Report {
  callId: string;
  state: 'done' | 'failed' | 'unknown';
}

export function crashReply({ text, step, outcomes }: ScriptedTurn): Step[] {
  const [plan] = text.split(' ');
  if (plan === 'wait') return [{ text: 'Waiting. ' }, { untilAborted: true }];
  const record = { tool: recordTool, input: { note: text } };
  if (plan === 'call' && step === 0) return [{ text: 'One call. ' }, { calls: [record] }];
  if (plan === 'pair' && step === 0) return [{ thinking: 'Two at once?' }, { calls: [record, record] }];
  if (plan === 'steps' && step < 2) return [{ text: `Step ${step}. ` }, { calls: [record] }];
  if (plan !== 'talk') return [{ text: toReport(outcomes) }];
  return [
    { text: `You said: ${text}. ` },
    { pauseMs: 3 },
    { text: '🌍 — ' },
    { pauseMs: 3 },
    { text: 'end' },
  ];
}

function toReport(outcomes: readonly ToolOutcome[]): string {
  const reports = outcomes.map(
    ({ toolCallId, isError, outcome }): Report => ({
      callId: toolCallId,
      state: outcome ?? (isError ? 'failed' : 'done'),
    }),
  );
  return `Report: ${JSON.stringify(reports)}.`;
}

/** The reports in a text, read back. */
export function parseReports(text: string): Report[] {
  return [...text.matchAll(/Report: (\[.*?\])\./g)].flatMap(
    ([, json = '[]']) => JSON.parse(json) as Report[],
  );
}
