// The result of a call that asked its person something, when the answers came after a restart: its engine has forgotten
// the call, so the model is told in words.
import type { Question, ToolCall } from '@toolyard/sdk';
import type { CallEnd } from './call-record.ts';

export function toAnswered(call: ToolCall, asked: readonly Question[]): CallEnd {
  const isAnswered = asked.every(({ state }) => state === 'answered');
  const text = asked.map(sayAnswer).join('\n');
  const result = { toolCallId: call.id, tool: call.name, text, isError: !isAnswered };
  return { state: isAnswered ? 'done' : 'failed', result: isAnswered ? { ...result, output: text } : result };
}

function sayAnswer({ text, state, answer = '' }: Question): string {
  if (state === 'answered')
    return `The person was asked "${text}" and answered: ${[answer].flat().join(', ')}`;
  return state === 'expired'
    ? `The person was asked "${text}". Nobody could answer in time.`
    : `The person was asked "${text}". The question was cancelled.`;
}
