import { describe, expect, test } from 'vitest';
import { ask, assistant, content, serveText, simplify, streamEvents, user } from './asking.ts';

async function statuses(url: string, words: string, times: number): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (let i = 0; i < times; i++) {
    const response = await ask(url, { messages: [user(words)] });
    seen.push(response.status);
    await response.text();
  }
  return seen;
}

describe('fail', () => {
  test('answers with the status, its type and retry-after', async () => {
    const rehearsal = await serveText(`
rules:
  - { when: { user: busy }, fail: { status: 529 } }
  - { when: { user: limited }, fail: { status: 429, retryAfter: 7, message: slow down } }
  - { when: { user: broken }, fail: { status: 500 } }
  - { when: { user: denied }, fail: { status: 401 } }
  - { when: { user: teapot }, fail: { status: 418 } }
  - { when: { user: gateway }, fail: { status: 502 } }
`);
    const fail = async (words: string, stream: boolean) => {
      const response = await ask(rehearsal.url, { messages: [user(words)], stream });
      return [response.status, response.headers.get('retry-after'), (await response.json()).error];
    };
    expect([
      await fail('busy', true),
      await fail('limited', false),
      await fail('broken', true),
      await fail('denied', false),
      await fail('teapot', false),
      await fail('gateway', true),
    ]).toEqual([
      [529, null, { type: 'overloaded_error', message: 'Overloaded' }],
      [429, '7', { type: 'rate_limit_error', message: 'slow down' }],
      [500, null, { type: 'api_error', message: 'Internal server error' }],
      [401, null, { type: 'authentication_error', message: 'invalid x-api-key' }],
      [418, null, { type: 'invalid_request_error', message: 'The scenario asked for status 418.' }],
      [502, null, { type: 'api_error', message: 'The scenario asked for status 502.' }],
    ]);
    await rehearsal.close();
  });

  test('a number of times, then replies; the next equal exchange fails anew', async () => {
    const rehearsal = await serveText(
      'rules: [{ fail: { status: 529, times: 2 }, reply: [{ text: fine }] }]',
    );
    expect(await statuses(rehearsal.url, 'x', 6)).toEqual([529, 529, 200, 529, 529, 200]);
    await rehearsal.close();
  });

  test('a number of times without a reply, then leaves the answer to later rules', async () => {
    const rehearsal = await serveText(
      'rules: [{ fail: { status: 500, times: 1 } }, { reply: [{ text: fine }] }]',
    );
    expect(await statuses(rehearsal.url, 'x', 3)).toEqual([500, 200, 500]);
    await rehearsal.close();
  });

  test('counts each rule and each exchange by itself', async () => {
    const rehearsal = await serveText(`
rules:
  - { when: { user: a }, fail: { status: 500, times: 1 } }
  - { fail: { status: 529, times: 1 }, reply: [{ text: fine }] }
`);
    const { url } = rehearsal;
    const later = { messages: [user('b'), assistant('ok'), user('b')] };
    const step = {
      messages: [
        user('b'),
        assistant([{ type: 'tool_use', id: 't', name: 'x', input: {} }]),
        user([{ type: 'tool_result', tool_use_id: 't', content: 'r' }]),
      ],
    };
    expect([
      (await ask(url, { messages: [user('a')] })).status,
      (await ask(url, { messages: [user('b')] })).status,
      (await ask(url, later)).status,
      (await ask(url, { messages: [user('a')] })).status,
      (await ask(url, later)).status,
      (await ask(url, step)).status,
    ]).toEqual([500, 529, 529, 529, 200, 200]);
    await rehearsal.close();
  });

  test('inside the stream sends an error event after some of the answer', async () => {
    const rehearsal = await serveText(
      'rules: [{ fail: { status: 529, afterChars: 6 }, pace: { chunkChars: 3 }, reply: [{ text: "abcdefghij" }] }]',
    );
    const events = await streamEvents(rehearsal.url, { messages: [user('x')] });
    expect(events.slice(3)).toEqual([
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'abc' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'def' } },
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    ]);
    expect((await ask(rehearsal.url, { messages: [user('x')] })).status).toBe(529);
    await rehearsal.close();
  });
});

describe('cut', () => {
  test('destroys the connection after some of the answer, as often as asked', async () => {
    const rehearsal = await serveText(
      'rules: [{ cut: { afterChars: 5, times: 1 }, reply: [{ text: "abcdefghij" }] }]',
    );
    const read = async () => {
      const response = await ask(rehearsal.url, { messages: [user('x')], stream: true });
      let seen = '';
      const reading = (async () => {
        for await (const chunk of response.body ?? []) seen += Buffer.from(chunk).toString();
      })();
      const end = await reading.then(
        () => 'ended',
        () => 'cut',
      );
      return [end, [...seen.matchAll(/"text_delta","text":"(\w+)"/g)].map((match) => match[1]).join('')];
    };
    expect([await read(), await read()]).toEqual([
      ['cut', 'abcde'],
      ['ended', 'abcdefghij'],
    ]);
    await rehearsal.close();
  });

  test('also ends an answer that is shorter than that, and one that is not streamed', async () => {
    const rehearsal = await serveText('rules: [{ cut: { afterChars: 500 }, reply: [{ text: short }] }]');
    const read = async (stream: boolean) =>
      (await ask(rehearsal.url, { messages: [user('x')], stream })).text().then(
        () => 'ended',
        () => 'cut',
      );
    expect([await read(true), await read(false)]).toEqual(['cut', 'cut']);
    await rehearsal.close();
  });
});

describe('malformed', () => {
  const parses = (text: string) => {
    try {
      return JSON.parse(text) !== undefined;
    } catch {
      return false;
    }
  };

  test('stream sends one event that is not JSON and goes on', async () => {
    const rehearsal = await serveText(
      'rules: [{ malformed: stream, pace: { chunkChars: 3 }, reply: [{ text: "abcdef" }] }]',
    );
    const response = await ask(rehearsal.url, { messages: [user('x')], stream: true });
    const data = (await response.text())
      .split('\n')
      .flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
    expect(data.map(parses)).toEqual([true, true, true, true, false, true, true, true, true]);
    const whole = await ask(rehearsal.url, { messages: [user('x')] });
    expect([whole.status, parses(await whole.text())]).toEqual([200, false]);
    await rehearsal.close();
  });

  test('toolInput leaves the JSON of every input unfinished', async () => {
    const rehearsal = await serveText(
      'rules: [{ malformed: toolInput, reply: [{ call: { tool: a, input: { text: one } } }, { call: { tool: b } }] }]',
    );
    const events = await streamEvents(rehearsal.url, { messages: [user('x')] });
    const pieces = events
      .map(({ index, delta }) => [index, delta])
      .filter(([, delta]) => delta !== undefined);
    expect(pieces.slice(0, -1)).toEqual([
      [0, { type: 'input_json_delta', partial_json: '' }],
      [0, { type: 'input_json_delta', partial_json: '{"text":"one"' }],
      [1, { type: 'input_json_delta', partial_json: '' }],
      [1, { type: 'input_json_delta', partial_json: '{' }],
    ]);
    expect(simplify(await content(rehearsal.url, { messages: [user('x')] }))).toEqual([
      { call: 'a', input: '{"text":"one"' },
      { call: 'b', input: '{' },
    ]);
    await rehearsal.close();
  });
});
