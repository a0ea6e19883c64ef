import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Rehearsal } from '../../src/rehearsal/serve.ts';
import { ask, serveText, streamEvents, user } from './asking.ts';

const scenario = `
rules:
  - when: { user: everything }
    pace: { chunkChars: 4 }
    reply:
      - thinking: Hmmmm.
      - text: Hello.
      - call: { tool: a, input: { n: 1 } }
      - call: { tool: b }
  - when: { user: long }
    pace: { chunkChars: 1000 }
    reply: [{ text: "0123456", repeat: 3000 }]
  - when: { user: emoji }
    pace: { chunkChars: 1 }
    reply: [{ text: "a👩‍👧b" }]
  - when: { user: split }
    splitBytes: true
    reply: [{ text: "é🌍日" }]
  - when: { user: stopped }
    stopReason: max_tokens
    reply: [{ text: cut sho }]
  - when: { user: paced }
    pace: { chunkChars: 2, delayMs: 20, initialDelayMs: 60 }
    reply: [{ text: "123456" }]
`;

let rehearsal: Rehearsal;
beforeAll(async () => {
  rehearsal = await serveText(scenario);
});
afterAll(() => rehearsal.close());

const anyId = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[0-9a-f]{24}$`));
const said = (words: string) => ({ messages: [user(words)] });

test('a streamed answer is the events of the real service, in order', async () => {
  const usage = {
    input_tokens: expect.any(Number),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
  const message = {
    id: anyId('msg'),
    type: 'message',
    role: 'assistant',
    model: 'claude-test',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  const start = (index: number, content_block: object) => ({
    type: 'content_block_start',
    index,
    content_block,
  });
  const delta = (index: number, body: object) => ({ type: 'content_block_delta', index, delta: body });
  const stop = (index: number) => ({ type: 'content_block_stop', index });
  expect(await streamEvents(rehearsal.url, said('everything'))).toEqual([
    { type: 'message_start', message },
    { type: 'ping' },
    start(0, { type: 'thinking', thinking: '', signature: '' }),
    delta(0, { type: 'thinking_delta', thinking: 'Hmmm' }),
    delta(0, { type: 'thinking_delta', thinking: 'm.' }),
    delta(0, { type: 'signature_delta', signature: expect.stringMatching(/^rehearsal\..{43}$/) }),
    stop(0),
    start(1, { type: 'text', text: '' }),
    delta(1, { type: 'text_delta', text: 'Hell' }),
    delta(1, { type: 'text_delta', text: 'o.' }),
    stop(1),
    start(2, { type: 'tool_use', id: anyId('toolu'), name: 'a', input: {} }),
    delta(2, { type: 'input_json_delta', partial_json: '' }),
    delta(2, { type: 'input_json_delta', partial_json: '{"n"' }),
    delta(2, { type: 'input_json_delta', partial_json: ':1}' }),
    stop(2),
    start(3, { type: 'tool_use', id: anyId('toolu'), name: 'b', input: {} }),
    delta(3, { type: 'input_json_delta', partial_json: '' }),
    stop(3),
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 6 },
    },
    { type: 'message_stop' },
  ]);
});

test('an answer that is not streamed is one message with the same content', async () => {
  const response = await ask(rehearsal.url, said('everything'));
  expect([
    response.headers.get('content-type'),
    response.headers.get('request-id'),
    await response.json(),
  ]).toEqual([
    'application/json',
    anyId('req'),
    {
      id: anyId('msg'),
      type: 'message',
      role: 'assistant',
      model: 'claude-test',
      content: [
        { type: 'thinking', thinking: 'Hmmmm.', signature: expect.stringMatching(/^rehearsal\./) },
        { type: 'text', text: 'Hello.' },
        { type: 'tool_use', id: anyId('toolu'), name: 'a', input: { n: 1 } },
        { type: 'tool_use', id: anyId('toolu'), name: 'b', input: {} },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: {
        input_tokens: expect.any(Number),
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 6,
      },
    },
  ]);
});

test('every event of the stream is named twice, as clients expect', async () => {
  const response = await ask(rehearsal.url, { ...said('stopped'), stream: true });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const blocks = (await response.text()).split('\n\n').filter((block) => block !== '');
  const names = blocks.map((block) => /^event: (\w+)\ndata: \{"type":"(\w+)"/.exec(block)?.slice(1));
  expect(names).toEqual(
    [
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ].map((name) => [name, name]),
  );
});

async function pieces(words: string): Promise<string[]> {
  const events = await streamEvents(rehearsal.url, said(words));
  return events.flatMap(({ delta }) => {
    const text = typeof delta === 'object' && delta !== null && 'text' in delta ? delta.text : undefined;
    return typeof text === 'string' ? [text] : [];
  });
}

test('repeated text arrives whole, whatever the size of its pieces', async () => {
  const long = await pieces('long');
  expect([long.join('') === '0123456'.repeat(3000), long.length]).toEqual([true, 21]);
});

test('a piece never ends in half a character', async () => {
  expect(await pieces('emoji')).toEqual(['a', '👩', '\u200d', '👧', 'b']);
});

test('split bytes put the cuts of the transport inside characters', async () => {
  const response = await ask(rehearsal.url, { ...said('split'), stream: true });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) chunks.push(chunk);
  const endsInside = chunks.slice(0, -1).filter((chunk) => (chunk.at(-1) ?? 0) >= 0xc0);
  expect([endsInside.length, Buffer.concat(chunks).toString().includes('é🌍日')]).toEqual([3, true]);
});

test('the stop reason is what the rule says', async () => {
  const events = await streamEvents(rehearsal.url, said('stopped'));
  expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'max_tokens', stop_sequence: null } });
});

describe('pace', () => {
  const timed = async (stream: boolean) => {
    const startedAt = performance.now();
    await (await ask(rehearsal.url, { ...said('paced'), stream })).text();
    return performance.now() - startedAt;
  };

  test('delays the start and each piece, and a whole answer takes as long', async () => {
    const [streamed, whole] = [await timed(true), await timed(false)];
    expect([streamed > 115, whole > 115, streamed < 5_000, whole < 5_000]).toEqual([true, true, true, true]);
  });

  test('pieces of a slow answer arrive one by one', async () => {
    const response = await ask(rehearsal.url, { ...said('paced'), stream: true });
    const arrivals: number[] = [];
    for await (const _ of response.body ?? []) arrivals.push(performance.now());
    expect(arrivals.length).toBeGreaterThanOrEqual(3);
  });
});
