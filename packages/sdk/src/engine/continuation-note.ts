// How an agent that keeps its own transcript is told, after a restart, what became of its calls: one message in words
// for the model, which a program can read back.
import type { SettledCall } from './engine.ts';

const opening = '[Toolyard] The server was restarted during your turn.';
const closing = 'Go on from where you stopped. Do not repeat a call whose result you have.';
const results = { done: 'has this result', failed: 'failed', unknown: 'has an unknown outcome' } as const;

export interface NotedResult {
  toolCallId: string;
  tool: string;
  text: string;
  isError: boolean;
}

/** A call with its input is one that the model may not know it has made. */
export function toContinuationNote(settled: readonly SettledCall[]): string {
  return [opening, ...settled.map(toNote), closing].join('\n\n');
}

function toNote({ toolCallId, tool, input, text, isError, outcome }: SettledCall): string {
  const how = outcome === 'unknown' ? results.unknown : isError ? results.failed : results.done;
  const given = input === undefined ? '' : ` with the input ${JSON.stringify(input)}`;
  return `The call ${toolCallId} of ${tool}${given} ${how}:\n${text}`;
}

export function isContinuationNote(text: string): boolean {
  return text.trimStart().startsWith(opening);
}

/** The results that a note tells of. */
export function readContinuationNote(text: string): NotedResult[] {
  const how = Object.values(results).join('|');
  const call = new RegExp(`\\n\\nThe call (\\S+) of (\\S+)(?: with the input .*)? (${how}):\\n`, 'g');
  const found = [...text.matchAll(call)];
  const end = text.lastIndexOf(`\n\n${closing}`);
  return found.map(({ 0: head, 1: toolCallId = '', 2: tool = '', 3: said, index }, number) => ({
    toolCallId,
    tool,
    text: text.slice(index + head.length, found[number + 1]?.index ?? (end < 0 ? text.length : end)),
    isError: said !== results.done,
  }));
}
