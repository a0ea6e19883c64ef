import { toContinuationNote } from '@toolyard/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { ask, assistant, serveText, toolResult, toolUse, user } from './asking.ts';

const scenario = `rules:
  - when: { userIs: go, step: 0 }
    reply: [{ call: { tool: Bash } }]
  - when: { userIs: go, results: { contains: unknown } }
    reply: [{ text: "step {{step}}: {{result}}" }]`;

const note = toContinuationNote([
  {
    toolCallId: 'c1',
    tool: 'Bash',
    input: { command: 'x' },
    text: 'unknown',
    isError: true,
    outcome: 'unknown',
  },
]);
const text = (words: string) => ({ type: 'text', text: words });

async function answerTo(messages: unknown[]): Promise<unknown> {
  const rehearsal = await serveText(scenario);
  onTestFinished(rehearsal.close);
  return (await (await ask(rehearsal.url, { messages })).json()).content[0];
}

test('what a note tells of a call is its result, after the call or beside words that are sent again', async () => {
  const call = [assistant([toolUse('c1', 'Bash')]), user([toolResult('c1', 'closed', true), text(note)])];
  expect(await answerTo([user('go'), ...call])).toEqual({ type: 'text', text: 'step 1: unknown' });
  expect(await answerTo([user([text('go'), text(note)])])).toEqual({ type: 'text', text: 'step 1: unknown' });
  expect(await answerTo([user('go')])).toMatchObject({ type: 'tool_use', name: 'Bash' });
});
