import { createRecordingHost } from '@toolyard/sdk/testing';
import { expect, it } from 'vitest';
import {
  toAnswerEntry,
  toResultsEntry,
  toUserEntry,
} from '../../../../src/engines/native/transcript/entries.ts';
import { createTranscript } from '../../../../src/engines/native/transcript/transcript.ts';
import { call, callFrames, frame, messageStart, say, serveModel, wire } from '../model-server.ts';
import { engineOn, spec, unmarked } from '../native-turn.ts';

const text = (words: string) => ({ type: 'text' as const, text: words });
const tool = 'mcp__suite__echo';
const toCall = (toolCallId: string, toolName = tool, input: unknown = {}) => ({
  type: 'tool-call' as const,
  toolCallId,
  toolName,
  input,
});

it('blank text and half characters of stored sessions go to no model', () => {
  const thought = { type: 'reasoning' as const, text: 'Hm.' };
  const transcript = createTranscript('Be \ud83d brief.', [
    toUserEntry([text(' '), text('hello')]),
    toAnswerEntry([text('\n\n'), toCall('a', tool, { '\ud83d': ['\ude00 b', 1, null] })]),
    toResultsEntry([{ id: 'a', name: tool }], [{ toolCallId: 'a', tool, text: '\ud83d!', isError: false }]),
    toAnswerEntry([thought, text('  ')]),
    toUserEntry('\u00a0'),
    toAnswerEntry([text('a\ud83d b')]),
  ]);
  const output = { type: 'text', value: '\ufffd!' };
  expect(transcript.prompt()).toEqual([
    { role: 'system', content: 'Be \ufffd brief.' },
    { role: 'user', content: [text('hello')] },
    { role: 'assistant', content: [toCall('a', tool, { '\ufffd': ['\ufffd b', 1, null] })] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: tool, output }] },
    { role: 'assistant', content: [text('[An empty answer was here.]')] },
    { role: 'user', content: [text('[An empty message was here.]')] },
    { role: 'assistant', content: [text('a\ufffd b')] },
  ]);
});

it('calls of stored sessions go out under ids and names that every provider takes', () => {
  const calls = [
    ['functions.x:0', 'mcp suite.echo!'],
    ['0', tool],
    ['0', 'n'.repeat(300)],
    ['0', '„“'],
  ] as const;
  const stored = calls.flatMap(([id, name]) => [
    toAnswerEntry([toCall(id, name)]),
    toResultsEntry([{ id, name }], []),
  ]);
  const sent = createTranscript('', [toUserEntry('hi'), ...stored])
    .prompt()
    .flatMap(({ content }): object[] => (typeof content === 'string' ? [] : content))
    .flatMap((part) =>
      'toolCallId' in part && 'toolName' in part ? [[part.toolCallId, part.toolName]] : [],
    );
  const [first, , second, , third, , fourth] = sent;
  expect(sent).toEqual([first, first, second, second, third, third, fourth, fourth]);
  expect([first, second, third, fourth].map((pair) => pair?.[1])).toEqual([
    'mcp_suite_echo_',
    tool,
    'n'.repeat(64),
    '_',
  ]);
  const ids = sent.map(([id]) => String(id));
  expect([new Set(ids).size, second?.[0]]).toEqual([4, '0']);
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
});

it('a session goes on after a model has written blanks, before a call or alone, or called what is not there', async () => {
  const block = (index: number, words: string) => [
    frame({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } }),
    frame({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: words } }),
    frame({ type: 'content_block_stop', index }),
  ];
  const [, ...calling] = callFrames('toolu_1', tool, '{"text":"a"}');
  const blankFirst = calling.map((each) => each.replace('"index":0', '"index":1'));
  await using server = await serveModel(
    wire([messageStart(), ...block(0, '\n\n'), ...blankFirst].join('')),
    say('  '),
    call('toolu_2', 'mcp suite.echo!', {}),
    say('Well.'),
  );
  const session = await engineOn(server).start(spec);
  const host = createRecordingHost();
  await session.prompt({ kind: 'message', content: 'one' }, host);
  await session.prompt({ kind: 'message', content: 'two' }, host);
  expect(host.calls.map(({ name }) => name)).toEqual([tool, 'mcp suite.echo!']);
  const messages = unmarked(server.requests.at(-1)?.messages);
  const use = (id: string, name: string, input: unknown) => ({ type: 'tool_use', id, name, input });
  const result = (id: string) => expect.objectContaining({ type: 'tool_result', tool_use_id: id });
  expect(messages).toEqual([
    { role: 'user', content: [text('one')] },
    { role: 'assistant', content: [use('toolu_1', tool, { text: 'a' })] },
    { role: 'user', content: [result('toolu_1'), text('two')] },
    { role: 'assistant', content: [use('toolu_2', 'mcp_suite_echo_', {})] },
    { role: 'user', content: [result('toolu_2')] },
  ]);
});
