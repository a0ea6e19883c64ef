// Ten agents at once, each in a CLI of its own with a role and a tool of its own: nothing of one is ever another's.
import { defineTool, defineToolkit } from '@toolyard/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type ClaudeServer, openClaudeServer } from './claude-server.ts';
import { callsOf, endOf, textOf } from './turn-outline.ts';

const desks = Array.from({ length: 10 }, (_, index) => index);
const secretOf = (index: number) => `secret-${'abcdefghij'[index]}`;
const toolOf = (index: number) => `mcp__desks__open_${index}`;
const sign = 'mcp__desks__sign';

/** No desk opens before somebody stands at each, and then the last comes first. */
function createBarrier(count: number) {
  const here: (() => void)[] = [];
  return () =>
    new Promise<void>((resolve) => {
      here.push(resolve);
      if (here.length === count) for (const open of here.toReversed()) open();
    });
}

const arrive = createBarrier(desks.length);
const opened: number[] = [];

const toDesk = (index: number) =>
  defineTool({
    name: `open_${index}`,
    title: 'Open',
    description: `Opens desk ${index}.`,
    effect: 'read',
    tier: 'auto',
    input: z.strictObject({}),
    output: z.object({ found: z.string(), for: z.string() }),
    run: async (_, { sessionId }) => {
      opened.push(index);
      await arrive();
      return { found: secretOf(index), for: sessionId };
    },
  });

const book = defineTool({
  name: 'sign',
  title: 'Sign',
  description: 'Signs the book.',
  effect: 'read',
  tier: 'auto',
  input: z.strictObject({ name: z.string() }),
  output: z.object({ signed: z.string(), by: z.string() }),
  run: async ({ name }, { sessionId }) => ({ signed: name, by: sessionId }),
});

const toRole = (index: number) => `---
name: keeper-${index}
description: Keeps desk ${index}
category: coding
tools: { allow: ["${toolOf(index)}", "${sign}"] }
---
You keep desk ${index} and no other. Your mark is keeper-of-${index}.
`;

let server: ClaudeServer;
beforeAll(async () => {
  server = await openClaudeServer({
    scenario: './claude-ten-desks.yaml',
    toolkits: [defineToolkit({ name: 'desks', server: 'desks', tools: [...desks.map(toDesk), book] })],
    roles: Object.fromEntries(desks.map((index) => [`keeper-${index}`, toRole(index)])),
    config: 'claude: { spare: false, maxHot: 10 }\n',
  });
});
afterAll(() => server.close());

test('ten sessions call at once; each gets its own result, and none can call another’s tool', async () => {
  const sessions = await Promise.all(desks.map((index) => server.create({ role: `keeper-${index}` })));
  const turns = await Promise.all(sessions.map(({ id }, index) => server.say(id, `open desk ${index}`)));
  expect(opened.toSorted()).toEqual(desks);
  for (const [index, events] of turns.entries()) {
    const id = sessions[index]?.id;
    const name = `open desk ${index}`;
    const [found, signed] = [
      { found: secretOf(index), for: id },
      { signed: name, by: id },
    ];
    expect(endOf(events)).toEqual({ outcome: 'completed' });
    expect(callsOf(events)).toEqual([
      { tool: toolOf(index), input: {}, isError: false, output: found },
      { tool: sign, input: { name }, isError: false, output: signed },
    ]);
    // In the order in which they came to an end.
    const told = [found, signed].map((output) => JSON.stringify(output));
    expect([told.join(' '), told.toReversed().join(' ')]).toContain(textOf(events).slice('I heard: '.length));
    expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(new Set([id]));
  }

  const next = (index: number) => (index + 1) % desks.length;
  const tried = await Promise.all(
    sessions.map(({ id }, index) => server.say(id, `open desk ${next(index)}`)),
  );
  for (const [index, events] of tried.entries()) {
    expect(callsOf(events)).toMatchObject([
      { tool: toolOf(next(index)), isError: true },
      { tool: sign, isError: false, output: { by: sessions[index]?.id } },
    ]);
    expect(textOf(events)).not.toContain('secret-');
  }
  expect(opened.length).toBe(desks.length);
}, 60_000);

test('the model of each was offered that tool alone, and told nothing of the others', () => {
  expect(server.tap.asked.length).toBe(40);
  for (const asked of server.tap.asked) {
    const mine = desks.filter((index) => asked.system.includes(`keeper-of-${index}.`));
    expect(mine.length).toBe(1);
    const [index = -1] = mine;
    const offered = asked.tools.map(({ name }) => name).filter((name) => name.startsWith('mcp__desks'));
    expect(offered.toSorted()).toEqual([toolOf(index), sign]);
    const told = JSON.stringify(asked.messages);
    expect(desks.filter((each) => each !== index && told.includes(secretOf(each)))).toEqual([]);
  }
});
