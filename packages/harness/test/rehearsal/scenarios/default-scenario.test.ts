import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Rehearsal, serveRehearsal } from '../../../src/rehearsal/serve.ts';
import {
  ask,
  assistant,
  content,
  say,
  simplify,
  streamEvents,
  toolResult,
  toolUse,
  user,
} from '../asking.ts';

const ping = 'mcp__toolyard__ping';
const info = 'mcp__toolyard__get_server_info';
const count = 'mcp__toolyard__get_session_count';
const all = [ping, info, count];

const outputs: Record<string, object> = {
  [ping]: { status: 'pong', timestamp: '2026-11-15T10:00:00.000Z', server: 'toolyard' },
  [info]: { product: 'Toolyard', version: 'development', port: '4242', uptime_seconds: 12 },
  [count]: { count: 3, cwd: '/home/ada' },
};

let rehearsal: Rehearsal;
beforeAll(async () => {
  rehearsal = await serveRehearsal();
});
afterAll(() => rehearsal.close());

/** What a person sees of a whole turn: the calls by short name, then the words after them. */
async function turn(words: string, { isError = false, failure = 'ENOENT: no such directory' } = {}) {
  const messages = [user(words)];
  const first = await content(rehearsal.url, { messages, tools: all });
  const calls = (Array.isArray(first) ? first : []).filter((block) => block.type === 'tool_use');
  const results = calls.map(({ id, name }) =>
    toolResult(id, isError ? failure : JSON.stringify(outputs[name]), isError),
  );
  messages.push(assistant(first), user(results));
  const answer = simplify(await content(rehearsal.url, { messages, tools: all }));
  const names = calls.map(({ name, input }) => [name.replace('mcp__toolyard__', ''), input]);
  return { calls: names, answer: Array.isArray(answer) ? answer.join('') : answer };
}

test.each([
  [
    'The person did not allow this call: not now',
    /^You did not allow `mcp__toolyard__ping`, so it was not called\./,
  ],
  ['The call was not run: no one answered in time, and the request expired.', /^No one answered in time/],
])('what people decide is told as that, not as a failure: %s', async (failure, answer) => {
  expect(await turn('ping', { isError: true, failure })).toEqual({
    calls: [['ping', {}]],
    answer: expect.stringMatching(answer),
  });
});

describe('words that need a tool call it and report what came back', () => {
  test.each(['ping the server', 'Please ping!', 'is the server up?'])('%s', async (words) => {
    expect(await turn(words)).toEqual({
      calls: [['ping', {}]],
      answer: 'The server is there. It answered `pong` at 2026-11-15T10:00:00.000Z.',
    });
  });

  test.each([
    'what version is this?',
    'how long have you been running',
    'server info please',
    'what is your uptime?',
    'which version of Toolyard am I running?',
    'tell me about this server',
  ])('%s', async (words) => {
    expect(await turn(words)).toEqual({
      calls: [['get_server_info', { include_uptime: true }]],
      answer: 'This is **Toolyard**, version `development`, on port 4242. It has been up for\n12 seconds.\n',
    });
  });

  test.each(['how many sessions are there?', 'Count my sessions', 'how many open sessions do I have'])(
    '%s',
    async (words) => {
      expect(await turn(words)).toEqual({
        calls: [['get_session_count', {}]],
        answer: 'Sessions in `/home/ada`: 3.',
      });
    },
  );

  test.each(['ping and count', 'ping the server and count the sessions', 'count my sessions and ping'])(
    '%s',
    async (words) => {
      const { calls, answer } = await turn(words);
      expect([calls, answer]).toEqual([
        [
          ['ping', {}],
          ['get_session_count', {}],
        ],
        expect.stringMatching(/`pong` at 2026.*\n.*3 in `\/home\/ada`/),
      ]);
    },
  );

  test('ping and show me the server info', async () => {
    const { calls, answer } = await turn('ping and show me the server info');
    expect([calls.length, answer]).toEqual([2, expect.stringMatching(/`pong`.*`development`/s)]);
  });
});

test('a failed tool is reported with its error and nothing made up', async () => {
  const answers = await Promise.all(
    ['ping', 'uptime', 'how many sessions', 'ping and count'].map((words) => turn(words, { isError: true })),
  );
  expect(
    answers.map(({ answer }) =>
      /answered with an error:\n\n> ENOENT: no such directory/.test(String(answer)),
    ),
  ).toEqual([true, true, true, true]);
});

test('a tool of someone else that came back is shown as it is', async () => {
  const messages = [
    user('x'),
    assistant([toolUse('t1', 'mcp__abacus__add')]),
    user([toolResult('t1', '{"sum":5}')]),
  ];
  expect(simplify(await content(rehearsal.url, { messages }))).toEqual([
    'The tool `mcp__abacus__add` answered:\n\n```\n{"sum":5}\n```\n',
  ]);
});

test('a tool that is not offered is said to be missing, and not called', async () => {
  const answers = await Promise.all(
    ['ping', 'how many sessions', 'version'].map(async (words) =>
      String(await say(rehearsal.url, words, [])),
    ),
  );
  expect(answers.map((answer) => /I would call `(\w+)` .*does not offer it/.exec(answer)?.[1])).toEqual([
    ping,
    count,
    info,
  ]);
});

test.each(['hello', 'Hi!', 'help', 'what can you do?', 'colourless green ideas', 'shipping history'])(
  '"%s" is answered honestly: a script, and how to get a real model',
  async (words) => {
    const answer = String(await say(rehearsal.url, words, all));
    expect([
      /script/.test(answer),
      /ANTHROPIC_API_KEY/.test(answer),
      /ping the\s+server/.test(answer),
    ]).toEqual([true, true, true]);
  },
);

test('a long story streams slowly, as Markdown with a code block', async () => {
  const controller = new AbortController();
  const startedAt = performance.now();
  const response = await ask(rehearsal.url, {
    messages: [user('tell me a long story')],
    stream: true,
    signal: controller.signal,
  });
  let pieces = 0;
  for await (const _ of response.body ?? []) if (++pieces === 10) break;
  controller.abort();
  expect(performance.now() - startedAt).toBeGreaterThan(100);
});

test('"think" shows thinking before the answer', async () => {
  const answer = await say(rehearsal.url, 'think about it');
  expect(answer).toEqual([
    { thinking: expect.stringContaining('script') },
    expect.stringContaining('thought'),
  ]);
});

test('"fail" is overloaded twice with a wait of a second, then recovers', async () => {
  const tries = [];
  for (let i = 0; i < 3; i++) {
    const response = await ask(rehearsal.url, { messages: [user('fail please')] });
    tries.push([response.status, response.headers.get('retry-after')]);
    await response.text();
  }
  expect(tries).toEqual([
    [529, '1'],
    [529, '1'],
    [200, null],
  ]);
});

test('a second message of the same session is answered like the first', async () => {
  const events = await streamEvents(rehearsal.url, {
    messages: [user('hello'), assistant('Hello!'), user('ping')],
    tools: all,
  });
  expect(events.filter(({ type }) => type === 'content_block_start')).toMatchObject([
    { content_block: { type: 'text' } },
    { content_block: { type: 'tool_use', name: ping } },
  ]);
});
