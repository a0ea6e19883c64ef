// Calls that are not what was decided on: changed after the decision, of a server that is not ours, or never shown to
// the hook. The real CLI makes them behind a door that forges; none of them runs.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClaudeServer, openClaudeServer } from './claude-server.ts';
import { createDesk } from './desk-toolkit.ts';
import { callsOf, endOf } from './turn-outline.ts';

const desk = createDesk();
let server: ClaudeServer;

beforeAll(async () => {
  const executable = fileURLToPath(new URL('./odd-claude.mjs', import.meta.url));
  server = await openClaudeServer({
    ...{ scenario: './claude-tools.yaml', toolkits: [desk.kit] },
    config: `claude: { spare: false, executable: ${JSON.stringify(executable)} }\n`,
  });
});
afterAll(() => server.close());

/** One turn in a new session in which nobody is asked by our own rules. */
async function talk(message: string) {
  const { id } = await server.create({ mode: 'bypassPermissions' });
  const events = await server.say(id, message);
  expect(endOf(events)).toEqual({ outcome: 'completed' });
  return { calls: callsOf(events), ran: desk.ranIn(id) };
}

const isThere = (name: string) =>
  access(join(server.work, name)).then(
    () => true,
    () => false,
  );

test('P4: a call that was allowed by a person and comes with another input does not run at all', async () => {
  const { id } = await server.create();
  const turn = server.say(id, 'with another input pay ada');
  const approval = await server.asked(id);
  expect(approval.input).toEqual({ to: 'ada' });
  await server.client().approvals.answer(approval.id, { decision: 'allow' });
  const events = await turn;
  expect(desk.ranIn(id)).toEqual([]);
  expect(endOf(events)).toEqual({ outcome: 'completed' });
  expect(callsOf(events)).toEqual([
    {
      ...{ tool: 'mcp__desk__pay', input: { to: 'ada' }, isError: true },
      output: 'The call was not run: its input is not what was decided on.',
    },
  ]);
});

test('P4: nor does one that no person was asked about', async () => {
  const { calls, ran } = await talk('with another input pay ada');
  expect(ran).toEqual([]);
  expect(calls).toMatchObject([
    { isError: true, output: 'The call was not run: its input is not what was decided on.' },
  ]);
});

test('a call of a server that is not ours is denied, though a tool of ours has the same name', async () => {
  const { calls, ran } = await talk('from another server pay ada');
  expect(ran).toEqual([]);
  expect(calls).toMatchObject([
    {
      isError: true,
      output: expect.stringContaining('The call was not run: its server is not one of this harness.'),
    },
  ]);
});

test.each([
  ['a tool of ours', 'pay ada', 'mcp__desk__pay'],
  ['a tool of the CLI', 'run touch made', 'claude:Bash'],
])(
  'a call that the hook was never shown is denied where a person would be asked: %s',
  async (_, asked, tool) => {
    const { calls, ran } = await talk(`without the hook ${asked}`);
    expect({ ran, made: await isThere('made') }).toEqual({ ran: [], made: false });
    expect(calls).toMatchObject([
      { tool, isError: true, output: 'The call was not run: nobody has decided on it.' },
    ]);
  },
);

test('behind the same door calls that nobody forges run, so that the others prove something', async () => {
  expect((await talk('pay ada')).ran).toEqual(['pay ada']);
  await talk('run touch honest');
  expect(await isThere('honest')).toBe(true);
});
