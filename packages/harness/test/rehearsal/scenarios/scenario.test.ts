import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolyardError } from '@toolyard/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  loadScenario,
  parseScenario,
  scenarioPaths,
} from '../../../src/rehearsal/scenarios/load-scenario.ts';
import { assistant, content, say, serveText, simplify, toolResult, toolUse, user } from '../asking.ts';

function refusal(text: string): string {
  try {
    parseScenario(text, 'my.yaml');
  } catch (error) {
    if (error instanceof ToolyardError && error.code === 'invalid_config') return error.message;
    throw error;
  }
  throw new Error('the scenario was accepted');
}

describe('a wrong scenario is refused with file, line, column and a suggestion', () => {
  test.each([
    [
      'an unknown key of a rule',
      'rules:\n  - repply:\n      - text: x\n    reply: [{ text: x }]\n',
      'my.yaml:2:5: rules[0]: unknown key "repply". Did you mean "reply"?',
    ],
    [
      'an unknown condition',
      'rules:\n  - when:\n      usr: hi\n    reply: [{ text: x }]\n',
      'my.yaml:3:7: rules[0].when: unknown key "usr". Did you mean "user"?',
    ],
    [
      'an unknown key of a result condition',
      'rules:\n  - when: { results: [{ tol: x }] }\n    reply: [{ text: x }]\n',
      'my.yaml:2:25: rules[0].when.results[0]: unknown key "tol". Did you mean "tool"?',
    ],
    [
      'an unknown block',
      'rules:\n  - reply:\n      - txt: x\n',
      'my.yaml:3:9: rules[0].reply[0]: unknown key "txt". Did you mean "text"?',
    ],
    [
      'two kinds in one block',
      'rules:\n  - reply:\n      - text: x\n        thinking: y\n',
      'my.yaml:3:9: rules[0].reply[0]: needs exactly one of text, thinking and call.',
    ],
    [
      'repeat without text',
      'rules:\n  - reply:\n      - thinking: y\n        repeat: 2\n',
      'my.yaml:3:9: rules[0].reply[0]: repeat goes with text.',
    ],
    [
      'a text that grows too long',
      'rules:\n  - reply:\n      - text: xxxxx\n        repeat: 1000000\n',
      'my.yaml:3:9: rules[0].reply[0]: text times repeat is longer than 4194304 characters.',
    ],
    [
      'a rule that does nothing',
      'rules:\n  - when: { user: x }\n',
      'my.yaml:2:5: rules[0]: needs a reply, or fail.',
    ],
    [
      'two faults at once',
      'rules:\n  - fail: { status: 500 }\n    cut: { afterChars: 1 }\n',
      'my.yaml:2:5: rules[0]: cannot both fail and cut.',
    ],
    [
      'a status that is no error',
      'rules:\n  - fail: { status: 200 }\n',
      'my.yaml:2:21: rules[0].fail.status: too small: expected number to be >=400.',
    ],
    [
      'a wrong stop reason',
      'rules:\n  - stopReason: end_trun\n    reply: [{ text: x }]\n',
      'Did you mean "end_turn"?',
    ],
    [
      'a wrong type',
      'rules:\n  - when: { user: 5 }\n    reply: [{ text: x }]\n',
      'my.yaml:2:19: rules[0].when.user: expected a phrase, or a list of them.',
    ],
    [
      'a wrong step',
      'rules:\n  - when: { step: { mn: 1 } }\n    reply: [{ text: x }]\n',
      'my.yaml:2:21: rules[0].when.step: unknown key "mn". Did you mean "min"?',
    ],
    [
      'an unknown variable',
      'rules:\n  - reply:\n      - text: hi\n      - text: "{{usr}}"\n',
      'my.yaml:4:9: rules[0].reply[1]: unknown variable {{usr}}. Did you mean "user"?',
    ],
    [
      'an unknown variable in an input',
      'rules:\n  - reply:\n      - call: { tool: t, input: { a: ["{{nme}}"] } }\n    when: { user: "i am {name}" }\n',
      'my.yaml:3:9: rules[0].reply[0]: unknown variable {{nme}}. Did you mean "name"?',
    ],
    [
      'a capture that hides a variable',
      'rules:\n  - when: { user: "say {user}" }\n    reply: [{ text: x }]\n',
      'my.yaml:3:13: rules[0].reply[0]: {user} captures into a name that already has a meaning.',
    ],
    ['no rules', 'description: empty\n', 'my.yaml:1:1: rules: expected array, received undefined.'],
    ['an empty file', '', 'my.yaml:1:1: expected object, received undefined.'],
  ])('%s', (_, text, expected) => {
    expect(refusal(text)).toContain(expected);
  });
});

describe('a scenario on disk', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolyard-scenario-'));
    await writeFile(join(folder, '20-last.yml'), 'rules: [{ reply: [{ text: last }] }]');
    await writeFile(
      join(folder, '10-first.yaml'),
      'pace: { delayMs: 3, chunkChars: 2 }\nrules: [{ pace: { chunkChars: 9 }, reply: [{ text: first }] }]',
    );
    await writeFile(join(folder, 'notes.txt'), 'not a scenario');
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  test('that is a folder is the rules of its files in the order of their names', async () => {
    expect(await loadScenario(folder)).toEqual({
      rules: [
        { when: {}, pace: { delayMs: 3, chunkChars: 9 }, reply: [{ text: 'first' }] },
        { when: {}, pace: {}, reply: [{ text: 'last' }] },
      ],
    });
  });

  test('that is missing or an empty folder is refused by name', async () => {
    const empty = await mkdtemp(join(folder, 'empty-'));
    const messages = await Promise.all(
      [join(folder, 'none.yaml'), empty].map((path) =>
        loadScenario(path).catch((error: Error) => error.message),
      ),
    );
    expect(messages).toEqual([
      expect.stringContaining(`${join(folder, 'none.yaml')}: cannot be read: ENOENT`),
      `${empty}: expected 1 to 100 scenario files ending in .yaml, found 0`,
    ]);
  });

  test('that ships is valid', async () => {
    const scenarios = await Promise.all(Object.values(scenarioPaths).map(loadScenario));
    expect(scenarios.map((scenario) => scenario.rules.length > 10)).toEqual([true, true]);
  });
});

test('the first rule whose every condition holds answers', async () => {
  const rehearsal = await serveText(`
rules:
  - { when: { user: hi, tools: [a, b] }, reply: [{ text: both tools }] }
  - { when: { user: hi, toolsAbsent: [a] }, reply: [{ text: no a }] }
  - { when: { user: [hi, hey] }, reply: [{ text: greeting }] }
  - { when: { userIs: "Good  day" }, reply: [{ text: exactly }] }
  - { reply: [{ text: "else: {{user}}" }] }
`);
  expect([
    await say(rehearsal.url, 'oh hi', ['b', 'a']),
    await say(rehearsal.url, 'hi', ['b']),
    await say(rehearsal.url, 'hi', ['a']),
    await say(rehearsal.url, 'hey', ['a']),
    await say(rehearsal.url, 'hey', []),
    await say(rehearsal.url, ' good day '),
    await say(rehearsal.url, 'good day to you'),
  ]).toEqual([
    ['both tools'],
    ['no a'],
    ['greeting'],
    ['greeting'],
    ['greeting'],
    ['exactly'],
    ['else: good day to you'],
  ]);
  await rehearsal.close();
});

test('rules see the results just in, by tool, failure and text, and how many rounds there were', async () => {
  const rehearsal = await serveText(`
rules:
  - { when: { results: [{ tool: a, contains: FINE }, { tool: b }] }, reply: [{ text: "both: {{results}} {{tool}}" }] }
  - { when: { results: { isError: true } }, reply: [{ text: "failed: {{tool}}: {{result}}" }] }
  - { when: { results: { tool: a }, step: { min: 2 } }, reply: [{ text: "a again, step {{step}}" }] }
  - { when: { results: {} }, reply: [{ text: "something from {{tool}}" }] }
  - { when: { step: 0 }, reply: [{ text: no results }] }
`);
  const calls = assistant([toolUse('t1', 'a'), toolUse('t2', 'b')]);
  const again = [assistant([toolUse('t3', 'a')]), user([toolResult('t3', 'x')])];
  const results = (first: unknown, second: unknown) => user([first, second]);
  const asked = [
    [results(toolResult('t1', 'all fine'), toolResult('t2', [{ type: 'text', text: 'ok' }]))],
    [results(toolResult('t1', 'bad'), toolResult('t2', 'worse', true))],
    [results(toolResult('t1', 'x'), toolResult('t2', 'y')), ...again],
    [results(toolResult('t1', 'x'), toolResult('t2', 'y'))],
    [user([toolResult('t1', 'x'), toolResult('t2', 'y', true), { type: 'text', text: 'and now?' }])],
  ];
  const answers = await Promise.all(
    asked.map(async (rest) =>
      simplify(await content(rehearsal.url, { messages: [user('go'), calls, ...rest] })),
    ),
  );
  expect(answers).toEqual([
    ['both: all fine ok a'],
    ['failed: b: worse'],
    ['a again, step 2'],
    ['something from a'],
    ['no results'],
  ]);
  await rehearsal.close();
});

test('one of several results is named by its place, and its fields by that and their names', async () => {
  const rehearsal = await serveText(`
rules:
  - when: { results: { tool: draft } }
    reply:
      - text: "{{results.1.agentId}} before {{results.0.agentId}}, all: {{results.agentId}}; {{results.0}}; {{results.2.agentId}}"
      - call: { tool: wait, input: { id: "{{results.1.agentId}}", none: "{{results.7.agentId}}" } }
  - reply: [{ text: no }]
`);
  const results = [
    toolResult('t1', '{"agentId":"a"}'),
    toolResult('x', 'else'),
    toolResult('t2', '{"agentId":"b"}'),
  ];
  const calls = [toolUse('t1', 'draft'), toolUse('x', 'look'), toolUse('t2', 'draft')];
  const messages = [user('go'), assistant(calls), user(results)];
  // What does not fit the rule has no place.
  expect(simplify(await content(rehearsal.url, { messages }))).toEqual([
    'b before a, all: a b; {"agentId":"a"}; (no results.2.agentId)',
    { call: 'wait', input: { id: 'b', none: null } },
  ]);
  await rehearsal.close();
});

test('replies are filled with captures, results and the conversation', async () => {
  const rehearsal = await serveText(`
rules:
  - when: { results: { tool: add } }
    reply:
      - text: "{{result.sum}} of {{result.deep.list.1}}, {{result.none}}, {{result.toString}}; {{results.sum}}"
      - call: { tool: keep, input: { sum: "{{result.sum}}", note: "is {{ result.sum }}", deep: ["{{result.deep}}"] } }
  - when: { user: "add {a} and {b}" }
    reply:
      - text: "{{firstUser}} / {{user}} / {{userTexts}} / {{model}} / {{tools}} / {{step}}"
      - call: { tool: add, input: { a: "{{a}}", list: ["{{b}}", 1, null, true] } }
`);
  const messages = [user('first words'), assistant('Yes.'), user('Add 2 and 3')];
  expect(simplify(await content(rehearsal.url, { messages, tools: ['add', 'keep'] }))).toEqual([
    'first words / Add 2 and 3 / 2 / claude-test / add, keep / 0',
    { call: 'add', input: { a: '2', list: ['3', 1, null, true] } },
  ]);
  const sum = '{"sum":5,"deep":{"list":["x","y"]}}\nand a second block';
  messages.push(assistant([toolUse('t1', 'add')]), user([toolResult('t1', sum)]));
  expect(simplify(await content(rehearsal.url, { messages }))).toEqual([
    '5 of y, (no result.none), (no result.toString); 5',
    { call: 'keep', input: { sum: 5, note: 'is 5', deep: [{ list: ['x', 'y'] }] } },
  ]);
  await rehearsal.close();
});

test('what agents add around the words of a person is not taken for them', async () => {
  const rehearsal = await serveText(`
rules:
  - { when: { userIs: hi, step: 1 }, reply: [{ text: "result {{result}}" }] }
  - { when: { userIs: hi }, reply: [{ text: hello }] }
`);
  const reminder = { type: 'text', text: '<system-reminder>Today is\nMonday.</system-reminder>' };
  const first = user([reminder, { type: 'text', text: 'hi <system-reminder>x</system-reminder>' }]);
  const later = [
    assistant([toolUse('t1', 'a')]),
    user([toolResult('t1', '7'), reminder]),
    { role: 'system', content: 'The user changed a file.' },
  ];
  expect([
    simplify(await content(rehearsal.url, { messages: [first] })),
    simplify(await content(rehearsal.url, { messages: [first, ...later] })),
  ]).toEqual([['hello'], ['result 7']]);
  await rehearsal.close();
});

test('notes that Claude Code writes in the name of a person are not their words', async () => {
  const rehearsal = await serveText(`
rules:
  - { when: { userIs: hi, step: 1 }, reply: [{ text: "after {{userTexts}}" }] }
  - { when: { userIs: hi }, reply: [{ text: hello }] }
`);
  const text = (words: string) => ({ type: 'text', text: words });
  const interrupted = [
    user('first'),
    assistant('half an ans'),
    user([text('[Request interrupted by user]')]),
  ];
  const compacted = [
    text('This session is being continued from a previous conversation that ran out of context.'),
    text('<local-command-caveat>Not for you.</local-command-caveat>'),
    text('<command-name>/compact</command-name>\n<command-args></command-args>'),
    text('<local-command-stdout>Compacted</local-command-stdout>'),
  ];
  const found = [
    user('hi'),
    assistant([toolUse('t1', 'ToolSearch')]),
    user([toolResult('t1', ''), text('Tool loaded.')]),
  ];
  const stopped = [
    user('hi'),
    assistant('I cannot'),
    user([text('Your response above was stopped by a safety classifier — this is not a tool or API error.')]),
  ];
  const image = user([text('hi'), text('[Image: source: /tmp/images/1.png]')]);
  const said = (messages: unknown[]) => content(rehearsal.url, { messages }).then(simplify);
  expect({
    interrupted: await said([...interrupted, user('hi')]),
    compacted: await said([user([...compacted, text('hi')])]),
    found: await said(found),
    stopped: await said(stopped),
    image: await said([image]),
  }).toEqual({
    interrupted: ['hello'],
    compacted: ['hello'],
    found: ['after 1'],
    stopped: ['after 1'],
    image: ['hello'],
  });
  await rehearsal.close();
});

test('a tool that is only named, to be searched for, counts as offered', async () => {
  const rehearsal = await serveText('rules: [{ reply: [{ text: "{{tools}}" }] }]');
  const named = [
    'The following deferred tools are now available via ToolSearch. Use ToolSearch to load them:',
    'mcp__toolyard__ping',
    'mcp__toolyard__get_session_count',
    '',
    'Today',
  ];
  const messages = [user('hi'), { role: 'system', content: [{ type: 'text', text: named.join('\n') }] }];
  expect([
    simplify(await content(rehearsal.url, { messages, tools: ['Bash', 'ToolSearch'] })),
    simplify(await content(rehearsal.url, { messages, tools: ['Bash'] })),
  ]).toEqual([['Bash, ToolSearch, mcp__toolyard__ping, mcp__toolyard__get_session_count'], ['Bash']]);
  await rehearsal.close();
});

test('without a fitting rule the answer says so', async () => {
  const rehearsal = await serveText('rules: [{ when: { user: hi }, reply: [{ text: hello }] }]');
  expect(await say(rehearsal.url, 'bye')).toEqual(["The rehearsal's scenario has no rule for this: bye"]);
  await rehearsal.close();
});
