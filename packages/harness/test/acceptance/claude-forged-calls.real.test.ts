// Calls that are not what the model has made: changed on their way, of a server that is not ours, or never shown to the
// hook. The real CLI makes them behind a door that forges; none of them runs, and a CLI that runs one itself is ended.
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
    scenario: './claude-tools.yaml',
    toolkits: [desk.kit],
    config: `claude: { spare: false, executable: ${JSON.stringify(executable)} }\n`,
  });
});
afterAll(() => server.close());

/** One turn in which nobody is asked by our own rules. */
async function talk(message: string) {
  const { id } = await server.share('bypassPermissions');
  const before = desk.ranIn(id).length;
  const events = await server.say(id, message);
  expect(endOf(events)).toEqual({ outcome: 'completed' });
  return { calls: callsOf(events), ran: desk.ranIn(id).slice(before) };
}

const isThere = (name: string) =>
  access(join(server.work, name)).then(
    () => true,
    () => false,
  );

const notMade = 'The call was not run: it differs from the call of the model.';

test('P4: a call that comes with another input than the log shows is asked about by nobody and does not run', async () => {
  const { id } = await server.share();
  const before = desk.ranIn(id);
  const events = await server.say(id, 'with another input pay ada');
  expect(desk.ranIn(id)).toEqual(before);
  expect(endOf(events)).toEqual({ outcome: 'completed' });
  expect(callsOf(events)).toEqual([
    { tool: 'mcp__desk__pay', input: { to: 'ada' }, isError: true, output: notMade },
  ]);
});

test('P4: nor where our rules ask nobody', async () => {
  const { calls, ran } = await talk('with another input pay ada');
  expect(ran).toEqual([]);
  expect(calls).toMatchObject([{ isError: true, output: notMade }]);
});

test('nor does one under an id that the model has not given', { timeout: 30_000 }, async () => {
  const { ran } = await talk('under another id pay ada');
  expect(ran).toEqual([]);
});

test('a call of a server that is not ours is denied', async () => {
  const { calls } = await talk('from another server run touch theirs');
  expect(await isThere('theirs')).toBe(false);
  expect(calls).toMatchObject([
    {
      isError: true,
      output: expect.stringContaining('The call was not run: its server does not belong to Toolyard.'),
    },
  ]);
});

test('a call of the CLI’s own tool that the hook was never shown is denied where a person would be asked', async () => {
  const { calls } = await talk('without the hook run touch made');
  expect(await isThere('made')).toBe(false);
  expect(calls).toMatchObject([
    { tool: 'claude:Bash', isError: true, output: 'The call was not run: there is no decision for it.' },
  ]);
});

test('a CLI that has run its own tool without asking is ended, and the turn says why', async () => {
  const { id } = await server.create({ mode: 'bypassPermissions' });
  const events = await server.say(id, 'past the gate run touch unasked');
  expect(endOf(events)).toMatchObject({
    outcome: 'failed',
    error: { message: expect.stringContaining('it ran claude:Bash without asking') },
  });
});

test('behind the same door calls that nobody forges run, so that the others prove something', async () => {
  expect((await talk('pay ada')).ran).toEqual(['pay ada']);
  await talk('run touch honest');
  expect(await isThere('honest')).toBe(true);
});
