// What a person changes while an agent works: mode, model, role file, and a second message before the first is answered.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClaudeServer, openClaudeServer } from './claude-server.ts';
import { createDesk } from './desk-toolkit.ts';
import { isEndOf } from './person.ts';
import { callsOf, endOf, textOf, toOutline } from './turn-outline.ts';

const desk = createDesk();
let server: ClaudeServer;

const clerk = (tools: string, instructions: string) => `---
name: clerk
description: Looks and pays
category: coding
tools: { allow: [${tools}] }
---
${instructions}
`;

beforeAll(async () => {
  server = await openClaudeServer({
    scenario: './claude-tools.yaml',
    toolkits: [desk.kit],
    roles: { clerk: clerk('mcp__desk__look, mcp__desk__pay', 'You are the red clerk.') },
  });
});
afterAll(() => server.close());

test('a mode that is switched in the middle of a turn counts from the next call on, when it asks for less and when it asks for more', async () => {
  const { id } = await server.create();
  const turn = server.say(id, 'look at till then pay ann');
  const asked = await server.asked(id);
  expect(await server.client().sessions.change(id, { mode: 'bypassPermissions' })).toMatchObject({
    id,
    mode: 'bypassPermissions',
  });
  // The call that waits, waits on: its person was asked about it.
  expect(desk.ranIn(id)).toEqual([]);
  expect((await server.asked(id)).id).toBe(asked.id);
  await server.client().approvals.answer(asked.id, { decision: 'allow' });
  const outline = toOutline(await turn);
  expect(outline.filter((word) => word.startsWith('approval_required'))).toEqual([
    'approval_required mcp__desk__look',
  ]);
  expect(outline.at(-1)).toBe('turn_end completed');
  const ran = ['look till', 'pay ann'];
  expect(desk.ranIn(id)).toEqual(ran);

  const next = server.say(id, 'hold narrow then pay bob');
  await desk.held('narrow');
  await server.client().sessions.change(id, { mode: 'default' });
  desk.letGo('narrow');
  const more = await server.asked(id);
  expect(more).toMatchObject({ tool: 'mcp__desk__pay', input: { to: 'bob' } });
  expect(desk.ranIn(id)).toEqual([...ran, 'hold narrow']);
  await server.client().approvals.answer(more.id, { decision: 'deny' });
  expect(endOf(await next)).toEqual({ outcome: 'completed' });
  expect(desk.ranIn(id)).toEqual([...ran, 'hold narrow']);
});

test('a model that is switched in the middle of a turn counts from the next turn on, in the same conversation', async () => {
  const { id } = await server.create({ model: 'anthropic/claude-sonnet-5' });
  const turn = server.say(id, 'hold model');
  await desk.held('model');
  await server.client().sessions.change(id, { model: 'anthropic/claude-opus-5' });
  desk.letGo('model');
  expect(textOf(await turn)).toContain('I (claude-sonnet-5) heard');
  expect(textOf(await server.say(id, 'remember this'))).toBe('Noted, claude-opus-5 speaking.');
  expect(server.tap.asked.at(-1)?.model).toBe('claude-opus-5');
  expect(textOf(await server.say(id, 'what did I say first'))).toBe(
    'First you said: hold model. You have spoken 3 times.',
  );
});

test('a role file that is changed counts from the next message on, in the same conversation', async () => {
  const { id } = await server.create({ role: 'clerk', mode: 'bypassPermissions' });
  const offered = () => (server.tap.asked.at(-1)?.tools ?? []).map(({ name }) => name);
  expect(callsOf(await server.say(id, 'pay ann'))).toMatchObject([{ isError: false }]);
  expect(server.tap.asked.at(-1)?.system).toContain('You are the red clerk.');
  expect(offered()).toContain('mcp__desk__pay');

  await server.writeRole('clerk', clerk('mcp__desk__look', 'You are the blue clerk.'));
  const refused = await server.say(id, 'pay bob');
  expect(callsOf(refused)).toMatchObject([{ tool: 'mcp__desk__pay', isError: true }]);
  expect(desk.ranIn(id)).toEqual(['pay ann']);
  const { system = '' } = server.tap.asked.at(-1) ?? {};
  expect(system).toContain('You are the blue clerk.');
  expect(system).not.toContain('You are the red clerk.');
  expect(system).not.toContain('mcp__desk__pay');
  expect(offered()).toContain('mcp__desk__look');
  expect(offered()).not.toContain('mcp__desk__pay');

  await server.writeRole('clerk', clerk('mcp__desk__look, mcp__desk__pay', 'You are the green clerk.'));
  expect(callsOf(await server.say(id, 'pay cid'))).toMatchObject([
    { isError: false, output: { paid: 'cid' } },
  ]);
  expect(server.tap.asked.at(-1)?.system).toContain('You are the green clerk.');
  expect(textOf(await server.say(id, 'what did I say first'))).toContain('First you said: pay ann.');
});

test('messages sent at once are answered one after the other, in their order', async () => {
  const { id } = await server.create({ mode: 'acceptEdits' });
  const { sessions } = server.client();
  const sent = [];
  for (const at of ['one', 'two', 'three']) sent.push(await sessions.send(id, `look at ${at}`));
  const events = await server.read(id, isEndOf(sent.at(-1)?.turnId ?? ''));
  const turn = [
    ...['turn_start', 'text_delta', 'tool_call_start mcp__desk__look', 'tool_call_delta', 'tool_call_end'],
    ...['tool_result done', 'text_delta', 'turn_end completed'],
  ];
  const outline = toOutline(
    events.filter(({ type }) => type !== 'user_message' && type !== 'session_status'),
  );
  expect(outline).toEqual([...turn, ...turn, ...turn]);
  const ends = events.flatMap((event) => (event.type === 'turn_end' ? event.data.turnId : []));
  expect(ends).toEqual(sent.map(({ turnId }) => turnId));
  expect(desk.ranIn(id)).toEqual(['look one', 'look two', 'look three']);
  // Each was put to the model on its own, after the answer to the one before.
  expect(textOf(await server.say(id, 'what did I say first'))).toBe(
    'First you said: look at one. You have spoken 4 times.',
  );
});
