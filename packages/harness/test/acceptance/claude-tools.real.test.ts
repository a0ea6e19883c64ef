// The shipped tools and a library user's own, called by the real CLI through the running server.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Event } from '@toolyard/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClaudeServer, openClaudeServer } from './claude-server.ts';
import { createDesk } from './desk-toolkit.ts';
import { askInTerminal } from './terminal-claude.ts';
import { callsOf, endOf, textOf } from './turn-outline.ts';

const desk = createDesk();
let server: ClaudeServer;
/** One session in a mode that does not ask for reads, hot from the first test on. */
let sessionId: string;

beforeAll(async () => {
  const config = 'claude: { spare: true }\n';
  server = await openClaudeServer({ scenario: './claude-tools.yaml', toolkits: [desk.kit], config });
  ({ id: sessionId } = await server.create({ mode: 'acceptEdits' }));
});
afterAll(() => server.close());

/** The call, its result and what the model says it was told, of a turn with one call. */
async function callBy(message: string) {
  const events = await server.say(sessionId, message);
  expect(endOf(events)).toEqual({ outcome: 'completed' });
  return { calls: callsOf(events), told: textOf(events).replace(/^.* heard: /s, '') };
}

describe('the shipped tools', () => {
  test('ping answers pong with the time of the call', async () => {
    const before = Date.now();
    const { calls, told } = await callBy('ping the server');
    const { timestamp } = JSON.parse(told);
    expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(timestamp)).toBeLessThanOrEqual(Date.now());
    const output = { status: 'pong', timestamp, server: 'toolyard' };
    expect(calls).toEqual([{ tool: 'mcp__toolyard__ping', input: {}, isError: false, output }]);
    expect(JSON.parse(told)).toEqual(output);
  });

  test('get_server_info names the port that was asked, and the uptime only on request', async () => {
    const info = { product: 'Toolyard', version: 'development', port: new URL(server.door().url).port };
    expect(await callBy('server info')).toEqual({
      calls: [{ tool: 'mcp__toolyard__get_server_info', input: {}, isError: false, output: info }],
      told: JSON.stringify(info),
    });
    const { calls, told } = await callBy('server info with uptime');
    const uptime_seconds = JSON.parse(told).uptime_seconds;
    expect(uptime_seconds).toBeGreaterThanOrEqual(0);
    expect(uptime_seconds).toBeLessThanOrEqual(process.uptime());
    const input = { include_uptime: true };
    const output = { ...info, uptime_seconds };
    expect(calls).toEqual([{ tool: 'mcp__toolyard__get_server_info', input, isError: false, output }]);
  });
});

describe('the event stream', () => {
  test('shows a call from its first letter to its result, in order and numbered without a gap', async () => {
    const { seq } = await server
      .client()
      .sessions.send(sessionId, 'look slowly at the-whole-long-winding-road');
    const { url, token } = server.door();
    const response = await fetch(`${url}/api/sessions/${sessionId}/events?after=${seq}`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = await readRaw(response);
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => seq + 1 + index));
    const call = events.filter((event) => event.type.startsWith('tool_'));
    const deltas = call.flatMap((event) => (event.type === 'tool_call_delta' ? event.data.delta : []));
    expect(call.map(({ type }) => type)).toEqual([
      'tool_call_start',
      ...deltas.map(() => 'tool_call_delta'),
      'tool_call_end',
      'tool_result',
    ]);
    expect(deltas.length).toBeGreaterThan(1);
    const toolCallId = call[0]?.type === 'tool_call_start' ? call[0].data.toolCallId : '';
    const input = { at: 'the-whole-long-winding-road' };
    expect(JSON.parse(deltas.join(''))).toEqual(input);
    expect(call.filter(({ type }) => type !== 'tool_call_delta').map(({ data }) => data)).toEqual([
      { toolCallId, tool: 'mcp__desk__look' },
      { toolCallId, input },
      { toolCallId, output: { seen: 'the the-whole-long-winding-road' }, isError: false },
    ]);
    expect(events.at(0)?.type).toBe('session_status');
    expect(events.at(-1)?.type).toBe('turn_end');
  });

  test('shows two calls made at once as two, each with its own result', async () => {
    const events = await server.say(sessionId, 'look at sun and moon at once');
    expect(callsOf(events)).toEqual([
      { tool: 'mcp__desk__look', input: { at: 'sun' }, isError: false, output: { seen: 'the sun' } },
      { tool: 'mcp__desk__look', input: { at: 'moon' }, isError: false, output: { seen: 'the moon' } },
    ]);
    const ids = events.flatMap((event) => (event.type === 'tool_result' ? event.data.toolCallId : []));
    expect(new Set(ids).size).toBe(2);
  });
});

describe('a toolkit of one’s own', () => {
  test('is offered to the model by the very names that the server lists', async () => {
    await server.say(sessionId, 'which tools');
    const { items } = await server.client().tools.list({ role: 'assistant' });
    const listed = items.map(({ name }) => name).filter((name) => name.startsWith('mcp__'));
    expect(listed).toContain('mcp__desk__look');
    const offered = server.tap.asked.at(-1)?.tools.map(({ name }) => name) ?? [];
    expect(offered.filter((name) => name.startsWith('mcp__')).sort()).toEqual(listed.sort());
  });

  test('runs once for a call', async () => {
    const before = desk.ranIn(sessionId).length;
    expect(await callBy('look at sky')).toEqual({
      calls: [{ tool: 'mcp__desk__look', input: { at: 'sky' }, isError: false, output: { seen: 'the sky' } }],
      told: '{"seen":"the sky"}',
    });
    expect(desk.ranIn(sessionId).slice(before)).toEqual(['look sky']);
  });

  test('tells the model why it failed when it says so', async () => {
    const output = 'The drawer is stuck. Pull harder.';
    expect(await callBy('pull the drawer')).toEqual({
      calls: [{ tool: 'mcp__desk__stuck', input: {}, isError: true, output }],
      told: output,
    });
  });

  test('that breaks gives the model a neutral sentence and the log the cause', async () => {
    const output = 'The tool mcp__desk__broken failed. The person can find the cause in the server log.';
    expect(await callBy('break something')).toEqual({
      calls: [{ tool: 'mcp__desk__broken', input: {}, isError: true, output }],
      told: output,
    });
    expect(JSON.stringify(server.tap.asked)).not.toContain('swordfish');
    expect(server.logged.join('\n')).toContain('cannot read swordfish of undefined');
  });

  test('never runs with an input of another shape, and the model hears what is wrong', async () => {
    const before = desk.ranIn(sessionId);
    const { calls, told } = await callBy('look with a number');
    expect(calls).toMatchObject([{ tool: 'mcp__desk__look', input: { at: 7 }, isError: true }]);
    expect(told).toContain('Invalid input for mcp__desk__look');
    expect(told).toContain('expected string, received number');
    expect(desk.ranIn(sessionId)).toEqual(before);
  });
});

describe('what is not there', () => {
  test.each([
    ['call a server that is not there', 'mcp__nowhere__ping', {}],
    ['call a tool that is not there', 'mcp__toolyard__launch', {}],
    ['call a built-in that is not there', 'claude:Teleport', { to: 'moon' }],
    ['call a built-in that nobody may have', 'claude:CronCreate', { cron: '* * * * *', prompt: 'x' }],
  ])('%s: the call fails by name and the turn goes on', async (message, tool, input) => {
    const { calls, told } = await callBy(message);
    const name = tool.replace('claude:', '');
    expect(calls).toEqual([{ tool, input, isError: true, output: expect.stringContaining(name) }]);
    expect(told).toContain(name);
    expect(told).toMatch(/no (such )?tool/i);
  });
});

describe('get_session_count', () => {
  test('counts the sessions of the directory, those of the terminal among them', async () => {
    const cwd = join(server.work, 'counted');
    await mkdir(cwd);
    const session = await server.create({ cwd, mode: 'acceptEdits' });
    const count = async () => callsOf(await server.say(session.id, 'count the sessions'))[0]?.output;
    expect(await count()).toEqual({ count: 1, cwd });
    await server.create({ cwd, engine: 'native' });
    expect(await count()).toEqual({ count: 2, cwd });
    const outside = { userHome: server.userHome, cwd, modelUrl: server.tap.url };
    expect(await askInTerminal('hello from the terminal', outside)).toBe('You said: hello from the terminal');
    expect(await count()).toEqual({ count: 3, cwd });
    // Its own transcript is no second session, and another directory counts for itself.
    expect((await callBy('count the sessions')).calls[0]?.output).toEqual({ count: 1, cwd: server.work });
  });
});

/** Reads an event stream by nothing but its wire format, up to the end of the turn. */
async function readRaw(response: Response): Promise<Event[]> {
  const events: Event[] = [];
  let rest = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks.filter((each) => !each.startsWith(':'))) {
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1] ?? '';
      if (!field('data')) continue;
      const event: Event = JSON.parse(field('data'));
      expect({ id: field('id'), event: field('event') }).toEqual({ id: `${event.seq}`, event: event.type });
      events.push(event);
      if (event.type === 'turn_end') return events;
    }
  }
  throw new Error('the stream ended before the turn');
}
