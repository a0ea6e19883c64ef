// Who is asked for what, in each mode: over HTTP, with the real CLI, on host tools and on the CLI's own.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClaudeServer, openClaudeServer } from './claude-server.ts';
import { createDesk } from './desk-toolkit.ts';
import { callsOf, endOf, textOf, toOutline } from './turn-outline.ts';

const desk = createDesk();
let server: ClaudeServer;

beforeAll(async () => {
  server = await openClaudeServer({ scenario: './claude-tools.yaml', toolkits: [desk.kit] });
  await writeFile(join(server.work, 'notes.txt'), 'nothing secret\n');
  await writeFile(join(server.work, '.env'), 'PASSWORD=swordfish\n');
});
afterAll(() => server.close());

const askedAndAllowed = (tool: string) => [
  'session_status running',
  'turn_start',
  ...['text_delta', `tool_call_start ${tool}`, 'tool_call_delta', 'tool_call_end'],
  `approval_required ${tool}`,
  ...['session_status waiting', 'approval_resolved allowed', 'session_status running'],
  ...['tool_result done', 'text_delta', 'turn_end completed'],
];

/** What a session causes from now on. */
function ranFromNow(sessionId: string): () => string[] {
  const { length } = desk.ranIn(sessionId);
  return () => desk.ranIn(sessionId).slice(length);
}

/** Sends a message, answers the one question that comes of it, and returns the turn. */
async function answer(
  sessionId: string,
  message: string,
  body: { decision: 'allow' | 'deny'; reason?: string },
) {
  const ran = ranFromNow(sessionId);
  const turn = server.say(sessionId, message);
  const { id } = await server.asked(sessionId);
  const beforeAnswer = ran();
  await server.client().approvals.answer(id, body);
  const events = await turn;
  return { events, ran: ran(), beforeAnswer };
}

describe('default mode', () => {
  test('asks for a host tool, and one allow runs it once', async () => {
    const { id } = await server.share();
    const { events, ran, beforeAnswer } = await answer(id, 'look at sky', { decision: 'allow' });
    expect([beforeAnswer, ran]).toEqual([[], ['look sky']]);
    expect(toOutline(events)).toEqual(askedAndAllowed('mcp__desk__look'));
    expect(textOf(events)).toContain('heard: {"seen":"the sky"}');
  });

  test('tells the model of a no, in the words of who said it, and runs nothing', async () => {
    const { id } = await server.share();
    const { events, ran } = await answer(id, 'look at sky', { decision: 'deny', reason: 'not at night' });
    expect(ran).toEqual([]);
    const output = 'The person did not allow this call: not at night';
    expect(callsOf(events)).toEqual([
      { tool: 'mcp__desk__look', input: { at: 'sky' }, isError: true, output },
    ]);
    expect(textOf(events)).toContain(`heard: ${output}`);
    expect(endOf(events)).toEqual({ outcome: 'completed' });
  });

  test('asks for each of two calls made at once, and each answer counts for its own', async () => {
    const { id } = await server.share();
    const ran = ranFromNow(id);
    const turn = server.say(id, 'look at sun and moon at once');
    const first = await server.asked(id);
    await server.client().approvals.answer(first.id, { decision: 'deny' });
    const second = await server.asked(id);
    expect(second.id).not.toBe(first.id);
    await server.client().approvals.answer(second.id, { decision: 'allow' });
    const calls = callsOf(await turn);
    expect(new Set([first.input, second.input].map((input) => JSON.stringify(input))).size).toBe(2);
    for (const { input, isError } of calls) {
      expect(isError).toBe(JSON.stringify(input) === JSON.stringify(first.input));
    }
    expect(ran()).toEqual([`look ${toAt(second.input)}`]);
  });

  test('lets the CLI’s own Read run in the workspace, but asks for a likely secret', async () => {
    const { id } = await server.share();
    const plain = await server.say(id, `read ${join(server.work, 'notes.txt')}`);
    expect(toOutline(plain)).not.toContain('approval_required claude:Read');
    expect(textOf(plain)).toContain('nothing secret');
    const { events } = await answer(id, `read ${join(server.work, '.env')}`, { decision: 'deny' });
    expect(toOutline(events)).toContain('approval_required claude:Read');
    expect(textOf(events)).toContain('The person did not allow this call');
    expect(JSON.stringify(server.tap.asked)).not.toContain('swordfish');
  });

  test('asks for the CLI’s own Bash and runs exactly what was shown', async () => {
    const { id } = await server.share();
    const turn = server.say(id, 'run echo made by claude');
    const approval = await server.asked(id);
    expect(approval).toMatchObject({
      tool: 'claude:Bash',
      effect: 'execute',
      input: { command: 'echo made by claude' },
    });
    await server.client().approvals.answer(approval.id, { decision: 'allow' });
    const events = await turn;
    expect(callsOf(events)).toMatchObject([
      { tool: 'claude:Bash', isError: false, output: 'made by claude' },
    ]);
  });
});

describe.each(['acceptEdits', 'bypassPermissions'] as const)('%s', (mode) => {
  test('asks for no read: a host tool, the shipped ones, the CLI’s own', async () => {
    const { id } = await server.share(mode);
    const ran = ranFromNow(id);
    const turns = [
      await server.say(id, 'look at sky'),
      await server.say(id, 'ping the server'),
      await server.say(id, `read ${join(server.work, 'notes.txt')}`),
    ];
    for (const events of turns) {
      expect(toOutline(events)).not.toContainEqual(expect.stringContaining('approval'));
      expect(callsOf(events)).toMatchObject([{ isError: false }]);
      expect(endOf(events)).toEqual({ outcome: 'completed' });
    }
    expect(ran()).toEqual(['look sky']);
  });
});

test('acceptEdits still asks before something is executed; bypassPermissions does not', async () => {
  const { id } = await server.share('acceptEdits');
  const { events, ran } = await answer(id, 'pay ann', { decision: 'deny' });
  expect(ran).toEqual([]);
  expect(toOutline(events)).toContain('approval_required mcp__desk__pay');
  await server.share('bypassPermissions');
  const ranBoldly = ranFromNow(id);
  expect(toOutline(await server.say(id, 'pay bob'))).not.toContain('approval_required mcp__desk__pay');
  expect(ranBoldly()).toEqual(['pay bob']);
});

test('plan mode refuses what would change something, and asks nobody about it', async () => {
  const { id } = await server.share('plan');
  const ran = ranFromNow(id);
  const events = await server.say(id, 'pay ann');
  expect(toOutline(events)).not.toContain('approval_required mcp__desk__pay');
  expect(callsOf(events)).toMatchObject([{ tool: 'mcp__desk__pay', isError: true }]);
  expect(textOf(events)).toContain('mode plan refuses');
  expect(ran()).toEqual([]);
});

function toAt(input: unknown): string {
  return typeof input === 'object' && input !== null && 'at' in input ? String(input.at) : '';
}
