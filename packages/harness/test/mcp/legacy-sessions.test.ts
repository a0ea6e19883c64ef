// When a session of the older protocol ends, seen from its own clock.
import { Server } from '@modelcontextprotocol/server';
import { pause } from '@toolyard/sdk';
import { expect, it, onTestFinished } from 'vitest';
import type { Caller } from '../../src/mcp/caller.ts';
import { createLegacySessions } from '../../src/mcp/legacy-sessions.ts';
import { toCall, toInitialize } from './raw.ts';

const caller: Caller = { actor: { kind: 'agent', id: 'tok', via: 'mcp' }, role: undefined, cwd: '/' };

/** Sessions whose only tool waits until it is stopped. */
function openSessions() {
  const stopped: unknown[] = [];
  const now = { ms: 0 };
  function openServer() {
    const underWay = new Set<unknown>();
    const server = new Server({ name: 'test', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/call', async (_, { mcpReq: { id, signal } }) => {
      underWay.add(id);
      await pause(20_000, signal).catch(() => {});
      underWay.delete(id);
      stopped.push(id);
      return { content: [] };
    });
    return { server, underWay };
  }
  const sessions = createLegacySessions({
    clock: { now: () => now.ms },
    openServer,
    timeouts: { expireAfterMs: 1_000, sweepIntervalMs: 10 },
  });
  onTestFinished(() => sessions.close());
  const post = (body: unknown, sessionId?: string, signal?: AbortSignal) => {
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(sessionId && { 'mcp-session-id': sessionId }),
    };
    const init = { method: 'POST', headers, ...(signal && { signal }) };
    return sessions.handle(new Request('http://127.0.0.1/mcp', init), caller, body);
  };
  return { sessions, stopped, now, post };
}

type Sessions = ReturnType<typeof openSessions>;

async function begin({ post }: Sessions, line: AbortSignal): Promise<string> {
  const opened = await post(toInitialize('2025-11-25'));
  await opened.text();
  const id = opened.headers.get('mcp-session-id') ?? '';
  await post(toCall(1, 'wait'), id, line);
  await pause(30);
  return id;
}

/** More than one look at who is still there. */
const looks = () => pause(60);

it('stays as long as its client waits for an answer, however long that takes', async () => {
  const sessions = openSessions();
  await begin(sessions, new AbortController().signal);
  sessions.now.ms += 100_000;
  await looks();
  expect([sessions.stopped, sessions.sessions.isBusy()]).toEqual([[], true]);
});

it('ends some time after its client has vanished, with whatever waits in it', async () => {
  const sessions = openSessions();
  const line = new AbortController();
  const id = await begin(sessions, line.signal);
  sessions.now.ms += 100_000;
  line.abort();
  sessions.now.ms += 900;
  await looks();
  expect(sessions.stopped).toEqual([]);
  sessions.now.ms += 200;
  await looks();
  expect([sessions.stopped, sessions.sessions.isBusy()]).toEqual([[1], false]);
  expect((await sessions.post(toCall(2, 'wait'), id)).status).toBe(404);
});

it('is kept by a client that is back on another line', async () => {
  const sessions = openSessions();
  const line = new AbortController();
  const id = await begin(sessions, line.signal);
  line.abort();
  sessions.now.ms += 900;
  await sessions.post({ jsonrpc: '2.0', id: 2, method: 'ping' }, id);
  sessions.now.ms += 900;
  await looks();
  expect(sessions.stopped).toEqual([]);
});

it('ends with its token, and no other’s does', async () => {
  const sessions = openSessions();
  await begin(sessions, new AbortController().signal);
  sessions.sessions.dismiss('another');
  await looks();
  expect(sessions.stopped).toEqual([]);
  sessions.sessions.dismiss('tok');
  await looks();
  expect(sessions.stopped).toEqual([1]);
});

it('M3: takes one of two requests that come with one id in the same moment', async () => {
  const sessions = openSessions();
  const id = await begin(sessions, new AbortController().signal);
  const both = await Promise.all([2, 2].map((callId) => sessions.post(toCall(callId, 'wait'), id)));
  expect(both.map(({ status }) => status)).toEqual([200, 400]);
});
