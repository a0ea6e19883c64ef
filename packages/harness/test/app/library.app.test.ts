// The library: a yard inside a program. What its calls do, the client's own tests show; here it is that they are the
// same calls, and what is the library's alone.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient, type Event } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { callsOf, endOf, toOutline } from '../acceptance/turn-outline.ts';
import { openLibrary } from './library-yard.ts';

describe('a session of the library', () => {
  it('yields the events of the turn, calls of one’s own tools among them', async () => {
    const yard = await openLibrary();
    const session = await yard.sessions.create({ role: 'assistant', engine: 'native' });
    const events = await Array.fromAsync(session.send('add 2 and 3'));
    expect(toOutline(events)).toEqual([
      ...['user_message', 'turn_start', 'text_delta', 'tool_call_start mcp__math__add'],
      ...['tool_call_delta', 'tool_call_end', 'tool_result done', 'text_delta', 'turn_end completed'],
    ]);
    expect(callsOf(events)).toEqual([
      { tool: 'mcp__math__add', input: { a: 2, b: 3 }, isError: false, output: { sum: 5 } },
    ]);
    expect(events.map(({ sessionId }) => sessionId)).toEqual(events.map(() => session.id));
  });

  it('gives just the answer to who wants no more', async () => {
    const yard = await openLibrary();
    const session = await yard.sessions.create();
    expect(await session.send('add 2 and 3').text()).toBe('It is 5.');
    expect(await session.get()).toMatchObject({ id: session.id, title: 'add 2 and 3', status: 'idle' });
  });

  it('asks, and goes on when the program has answered', async () => {
    const yard = await openLibrary();
    const session = await yard.sessions.create();
    const events: Event[] = [];
    for await (const event of session.send('spend 2 and 3')) {
      events.push(event);
      if (event.type === 'approval_required')
        await yard.approvals.answer(event.data.approval.id, { decision: 'allow' });
    }
    expect(callsOf(events)).toMatchObject([{ tool: 'mcp__math__spend', output: { sum: 5 } }]);
    const resolved = events.find((event) => event.type === 'approval_resolved');
    expect(resolved?.data).toMatchObject({ decidedBy: { kind: 'person', via: 'library' } });
  });

  it('is interrupted by a signal, and by its own word', async () => {
    const yard = await openLibrary();
    const session = await yard.sessions.create();
    const stop = new AbortController();
    const events: Event[] = [];
    for await (const event of session.send('slowly', { signal: stop.signal })) {
      events.push(event);
      if (event.type === 'text_delta') stop.abort();
    }
    expect(endOf(events)).toMatchObject({ outcome: 'interrupted' });
    const again = session.send('slowly');
    for await (const event of again) if (event.type === 'text_delta') break;
    expect(await session.interrupt()).toEqual({ turnId: (await again.accepted).turnId });
    await expect(again.text()).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('is forked, exported and deleted by its own calls', async () => {
    const yard = await openLibrary();
    const session = await yard.sessions.create();
    await session.send('add 2 and 3').text();
    const fork = await session.fork({ title: 'once more' });
    expect(await fork.send('add 2 and 3').text()).toBe('It is 5.');
    expect(await new Response(await fork.export({ format: 'markdown' })).text()).toContain('It is 5.');
    await session.delete();
    await expect(session.get()).rejects.toMatchObject({ code: 'session_not_found' });
    expect((await yard.sessions.list()).items.map(({ title }) => title)).toEqual(['once more']);
  });

  it('is refused for a role that is not there', async () => {
    const yard = await openLibrary();
    await expect(yard.sessions.create({ role: 'asistant' })).rejects.toMatchObject({
      code: 'unknown_role',
      message: 'There is no role "asistant". Did you mean "assistant"?',
    });
  });
});

describe('a yard', () => {
  it('is a client like any other', async () => {
    const yard = await openLibrary();
    const client: Client = yard;
    const session = await client.sessions.create({ title: 'one' });
    expect((await client.sessions.list()).items.map(({ title }) => title)).toEqual(['one']);
    expect(await client.tools.call('mcp__math__add', { input: { a: 1, b: 2 } })).toMatchObject({
      output: { sum: 3 },
    });
    expect((await client.tools.list()).items.map(({ name }) => name)).toContain('mcp__math__spend');
    expect((await client.sessions.context(session.id)).tools.length).toBeGreaterThan(0);
    expect(Object.keys(client).sort()).toEqual(
      expect.arrayContaining(Object.keys(createClient({ baseUrl: 'http://127.0.0.1' }))),
    );
  });

  it('answers requests without a socket, by the same guards', async () => {
    const yard = await openLibrary();
    const ask = (headers: Record<string, string>) =>
      yard.fetch(new Request('http://127.0.0.1/api/sessions', { headers }));
    expect((await ask({})).status).toBe(401);
    expect((await ask({ authorization: `Bearer ${yard.token}` })).status).toBe(200);
    expect((await ask({ authorization: `Bearer ${yard.token}`, host: 'shop.example' })).status).toBe(403);
    const named = await openLibrary({ config: { server: { host: 'shop.example' } } });
    const request = new Request('http://shop.example/api/health');
    expect((await named.fetch(request)).status).toBe(200);
  });

  it('has no port until it is told to listen', async () => {
    const yard = await openLibrary();
    expect(existsSync(join(yard.home, 'server.json'))).toBe(false);
    expect(() => yard.socket()).toThrow('A WebSocket needs a port. Call listen() of the yard first.');
    await expect(yard.createLoginLink()).rejects.toThrow('A login link needs a port.');
    const { url } = await yard.listen({ port: 0 });
    const client = createClient({ baseUrl: url, token: yard.token });
    const { id } = await yard.sessions.create();
    expect(await client.sessions.get(id)).toMatchObject({ id });
    expect((await yard.createLoginLink()).url.startsWith(url)).toBe(true);
    await expect(yard.listen({ port: 0 })).rejects.toThrow(`This yard already listens at ${url}.`);
    await yard.close();
    await expect(client.sessions.get(id)).rejects.toMatchObject({ code: 'server_unreachable' });
  });
});
