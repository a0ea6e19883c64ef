import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Rehearsal, serveRehearsal } from '../../src/rehearsal/serve.ts';
import { ask, assistant, content, post, toolResult, toolUse, user } from './asking.ts';

let rehearsal: Rehearsal;
beforeAll(async () => {
  rehearsal = await serveRehearsal();
});
afterAll(() => rehearsal.close());

const good = { model: 'claude-test', max_tokens: 10, messages: [user('hi')] };
const invalid = (message: unknown) => ({ type: 'error', error: { type: 'invalid_request_error', message } });
const tool = (name: string) => ({ name, input_schema: { type: 'object' } });

describe('a request that the real service would refuse gets 400 and the field', () => {
  test.each<[string, unknown, string]>([
    ['not JSON', '{"model":', 'The request body is not valid JSON'],
    ['not an object', '[]', 'body: Invalid input: expected object, received array'],
    ['no model', { ...good, model: undefined }, 'model: Field required'],
    ['no max_tokens', { ...good, max_tokens: undefined }, 'max_tokens: Field required'],
    ['zero max_tokens', { ...good, max_tokens: 0 }, 'max_tokens: Too small: expected number to be >=1'],
    ['no messages', { ...good, messages: undefined }, 'messages: Field required'],
    ['empty messages', { ...good, messages: [] }, 'messages: Too small: expected array to have >=1 items'],
    [
      'a wrong role',
      { ...good, messages: [{ role: 'tool', content: 'x' }] },
      'messages.0.role: Invalid option: expected one of "user"|"assistant"|"system"',
    ],
    ['no content', { ...good, messages: [{ role: 'user' }] }, 'messages.0.content: Invalid input'],
    ['a tool without a schema', { ...good, tools: [{ name: 'a' }] }, 'tools.0.input_schema: Field required'],
    [
      'two tools of one name',
      { ...good, tools: [tool('a'), tool('a')] },
      'tools.1.name: Tool names must be unique: a',
    ],
  ])('%s', async (_, body, message) => {
    const response = await post(rehearsal.url, body);
    expect([response.status, await response.json()]).toEqual([400, invalid(message)]);
  });
});

describe('a transcript that the real service would refuse gets 400 and the place', () => {
  const calls = assistant([{ type: 'text', text: 'Calling.' }, toolUse('t1', 'a'), toolUse('t2', 'b')]);
  const both = [toolResult('t1', 'x'), toolResult('t2', 'y')];
  const next = 'The next message must begin with one tool_result for each tool_use.';
  test.each<[string, unknown[], string]>([
    [
      'it starts with the assistant',
      [assistant('hi')],
      'messages: the first message must have the role "user"',
    ],
    [
      'it ends with the assistant',
      [user('hi'), assistant('hello')],
      'messages: the last message must have the role "user"; a prefilled answer is not supported',
    ],
    ['an empty message', [user([])], 'messages.0: content must not be empty'],
    [
      'an empty text',
      [user('hi'), assistant([{ type: 'text', text: '' }]), user('x')],
      'messages.1.content.0.text: text must not be empty',
    ],
    [
      'a result of nothing',
      [user([toolResult('t9', 'x')])],
      'messages.0.content.0: tool_result for t9, but the previous message has no such tool_use',
    ],
    [
      'a result of an earlier call',
      [user('hi'), calls, user(both), assistant('ok'), user([toolResult('t1', 'x')])],
      'messages.4.content.0: tool_result for t1, but the previous message has no such tool_use',
    ],
    [
      'no result at all',
      [user('hi'), calls, user('and?')],
      `messages.1: no tool_result follows immediately for these tool_use ids: t1, t2. ${next}`,
    ],
    [
      'one of two results',
      [user('hi'), calls, user([toolResult('t1', 'x')])],
      `messages.1: no tool_result follows immediately for these tool_use ids: t2. ${next}`,
    ],
    [
      'text before the results',
      [user('hi'), calls, user([{ type: 'text', text: 'x' }, ...both])],
      `messages.1: no tool_result follows immediately for these tool_use ids: t1, t2. ${next}`,
    ],
    [
      'two results of one call',
      [user('hi'), calls, user([...both, toolResult('t1', 'z')])],
      'messages.2.content.2: a second tool_result for the tool_use id t1',
    ],
    [
      'an assistant that goes on without results',
      [user('hi'), calls, assistant('well'), user('x')],
      `messages.1: no tool_result follows immediately for these tool_use ids: t1, t2. ${next}`,
    ],
    [
      'one id for two calls',
      [user('hi'), calls, user(both), assistant([toolUse('t1', 'a')]), user([toolResult('t1', 'x')])],
      'messages.3.content.0.id: tool_use ids must be unique: t1',
    ],
    [
      'an input that is no object',
      [user('hi'), assistant([toolUse('t1', 'a', '{"broken')]), user([toolResult('t1', 'x')])],
      'messages.1.content.0.input: Invalid input: expected record, received string',
    ],
    [
      'a call by the user',
      [user([toolUse('t1', 'a')])],
      'messages.0.content.0: a message of role "user" cannot hold tool_use',
    ],
    [
      'thinking without a signature',
      [user('hi'), assistant([{ type: 'thinking', thinking: 'x' }]), user('x')],
      'messages.1.content.0.signature: Field required',
    ],
  ])('%s', async (_, messages, message) => {
    const response = await ask(rehearsal.url, { messages });
    expect([response.status, await response.json()]).toEqual([400, invalid(message)]);
  });

  test('thinking that was changed since it was signed', async () => {
    const blocks = await content(rehearsal.url, { messages: [user('think')] });
    const changed = JSON.parse(JSON.stringify(blocks).replace('The person', 'The thief'));
    const again = (sent: unknown) =>
      ask(rehearsal.url, { messages: [user('think'), assistant(sent), user('hi')] });
    expect([(await again(blocks)).status, await (await again(changed)).json()]).toEqual([
      200,
      invalid('messages.1.content.0: invalid signature: the thinking was changed after it was signed'),
    ]);
  });
});

test('a transcript that the real service accepts is accepted', async () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } };
  const messages = [
    user('hi'),
    user([image]),
    assistant([{ type: 'thinking', thinking: 'x', signature: 'of another model' }, toolUse('t1', 'a')]),
    assistant([toolUse('t2', 'b')]),
    user([toolResult('t2', [image])]),
    { role: 'system', content: 'A note.' },
    user([toolResult('t1', undefined, true), { type: 'text', text: 'and more' }]),
    { role: 'system', content: [{ type: 'text', text: 'Another note.' }] },
  ];
  expect((await ask(rehearsal.url, { messages })).status).toBe(200);
});

describe('the other routes', () => {
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(rehearsal.url + path, { method });
    return [response.status, await response.json()];
  };
  const notFound = (message: string) => ({ type: 'error', error: { type: 'not_found_error', message } });

  test('count tokens needs no max_tokens and checks the rest', async () => {
    const count = async (body: unknown) => {
      const init = { method: 'POST', body: JSON.stringify(body) };
      const response = await fetch(`${rehearsal.url}/v1/messages/count_tokens?beta=true`, init);
      return [response.status, await response.json()];
    };
    const { max_tokens: _, ...counted } = good;
    expect([await count(counted), await count({ model: 'm' })]).toEqual([
      [200, { input_tokens: Math.ceil(JSON.stringify(counted).length / 4) }],
      [400, invalid('messages: Field required')],
    ]);
  });

  test('models are listed and found', async () => {
    const [status, list] = await get('/v1/models?limit=5');
    const [first] = list.data;
    expect([status, list.has_more, list.first_id]).toEqual([200, false, first.id]);
    expect([await get(`/v1/models/${first.id}`), await get('/v1/models/none')]).toEqual([
      [200, first],
      [404, notFound('No such route: GET /v1/models/none')],
    ]);
  });

  test('HEAD / is fine and all else is not found, in the shape of the service', async () => {
    const head = await fetch(rehearsal.url, { method: 'HEAD' });
    expect([
      head.status,
      await get('/'),
      await get('/v1/messages'),
      await get('/v1/complete', 'POST'),
    ]).toEqual([
      200,
      [404, notFound('No such route: GET /')],
      [404, notFound('No such route: GET /v1/messages')],
      [404, notFound('No such route: POST /v1/complete')],
    ]);
  });

  test('a query on the messages route is ignored', async () => {
    const init = { method: 'POST', body: JSON.stringify(good) };
    expect((await fetch(`${rehearsal.url}/v1/messages?beta=true`, init)).status).toBe(200);
  });
});

describe('H8: a hostile body is refused and others are served meanwhile', () => {
  test('more than 32 MiB gets 413', async () => {
    const [large, other] = await Promise.all([
      post(rehearsal.url, 'x'.repeat(33 * 1_048_576)),
      post(rehearsal.url, good),
    ]);
    const tooLarge = {
      type: 'request_too_large',
      message: 'Request exceeds the maximum size of 33554432 bytes',
    };
    expect([large.status, await large.json(), other.status]).toEqual([
      413,
      { type: 'error', error: tooLarge },
      200,
    ]);
  });

  test('100,000 levels of JSON do not break it', async () => {
    const deep = `{"model":"m","max_tokens":1,"messages":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const inside = {
      ...good,
      messages: [user('hi'), assistant([toolUse('t1', 'a', {})]), user([toolResult('t1', '@')])],
    };
    const deepInput = JSON.stringify(inside).replace(
      '"input":{}',
      `"input":{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    );
    const deepResult = JSON.stringify(inside).replace('"@"', JSON.stringify('['.repeat(100_000)));
    const statuses = await Promise.all(
      [deep, deepInput, deepResult].map(async (body) => (await post(rehearsal.url, body)).status),
    );
    expect(statuses).toEqual([400, 200, 200]);
  });
});
