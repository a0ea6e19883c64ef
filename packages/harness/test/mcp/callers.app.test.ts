import { describe, expect, it } from 'vitest';
import {
  agentToken,
  connect,
  eras,
  forReaders,
  type McpYard,
  openMcpYard,
  pendingOf,
  until,
} from './clients.ts';
import { answerOf, openSession, type RawRequest, send, toCall, toModernCall } from './raw.ts';

/** The status of an answer that has been read to its end. */
const statusOf = async (response: Promise<Response>) => {
  const answer = await response;
  await answer.text();
  return answer.status;
};

describe('who may call', () => {
  it('H1: nobody without a token, by any method', async () => {
    const house = await openMcpYard();
    const methods = ['POST', 'GET', 'DELETE', 'PUT', 'OPTIONS'];
    const bodyOf = (method: string) => (method === 'POST' || method === 'PUT' ? '{}' : undefined);
    for (const token of ['', 'wrong']) {
      const statuses = methods.map((method) => statusOf(send(house, bodyOf(method), { token, method })));
      expect(await Promise.all(statuses)).toEqual(methods.map(() => 401));
    }
  });

  it('H2, H3: no foreign Host or Origin, whatever the token', async () => {
    const house = await openMcpYard();
    const { yard } = house;
    const ask = (host: string, headers: Record<string, string>) =>
      yard
        .fetch(
          new Request(`http://${host}/mcp`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${yard.token}`,
              'content-type': 'application/json',
              ...headers,
            },
            body: '{}',
          }),
        )
        .then(({ status }) => status);
    expect(await ask('evil.com', {})).toBe(403);
    expect(await ask('127.0.0.1.evil.com', {})).toBe(403);
    expect(await ask('127.0.0.1', { origin: 'http://evil.com' })).toBe(403);
    expect(await ask('127.0.0.1', { origin: 'null' })).toBe(403);
    expect(await ask('127.0.0.1', {})).toBe(400);
  });

  it.each(eras)(
    'an agent’s token gets the tools of its role over the %s protocol, and cannot choose',
    async (era) => {
      const house = await openMcpYard();
      const token = await agentToken(house, 'reviewer');
      const client = await connect(house, { era, token, query: '?cwd=/' });
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(forReaders);
      await expect(client.callTool({ name: 'pay', arguments: { to: 'me' } })).rejects.toMatchObject({
        code: -32602,
      });
      await expect(connect(house, { era, token, query: '?role=assistant' })).rejects.toThrow();
      const { items } = await house.yard.client().sessions.list();
      expect(items.map(({ role, cwd }) => ({ role, cwd }))).toEqual([
        { role: 'reviewer', cwd: house.yard.work },
      ]);
    },
  );

  it('an agent’s token opens nothing else, and one that was revoked nothing at all', async () => {
    const house = await openMcpYard();
    const { yard, url } = house;
    const { secret, id } = await yard
      .client()
      .tokens.create({ name: 'test', kind: 'agent', role: 'assistant' });
    const api = (path: string) =>
      fetch(new URL(path, url), { headers: { authorization: `Bearer ${secret}` } });
    for (const path of [
      '/api/approvals',
      '/api/tokens',
      '/api/sessions',
      '/api/audit',
      '/mcp/../api/tools',
    ]) {
      expect([path, await statusOf(api(path))]).toEqual([path, 403]);
    }
    const session = await openSession(house, { token: secret });
    await yard.client().tokens.revoke(id);
    expect(await statusOf(send(house, toCall(1, 'echo'), { token: secret, headers: session }))).toBe(401);
  });

  it('a role that is not there is said at once, with what could have been meant', async () => {
    const house = await openMcpYard();
    const client = await connect(house, { era: 'modern', query: '?role=reviewr' });
    await expect(client.listTools()).rejects.toThrow('There is no role "reviewr". Did you mean "reviewer"?');
    await expect(client.callTool({ name: 'echo' })).rejects.toThrow('Did you mean "reviewer"?');
    const nowhere = { query: '?cwd=/no/such/place' };
    expect(await statusOf(send(house, toCall(1, 'echo'), nowhere))).toBe(400);
  });
});

describe('what one caller opened', () => {
  it('is not there for another token, nor under another role', async () => {
    const house = await openMcpYard();
    const headers = await openSession(house);
    const stranger = await agentToken(house, 'assistant');
    const echo = toCall(1, 'echo', { text: 'hi' });
    const attempts: RawRequest[] = [
      { token: stranger, headers },
      { query: '?role=assistant', headers },
      { headers: { 'mcp-session-id': 'guessed' } },
    ];
    for (const attempt of attempts) expect(await statusOf(send(house, echo, attempt))).toBe(404);
    expect(await statusOf(send(house, undefined, { method: 'DELETE', token: stranger, headers }))).toBe(404);
    expect(await answerOf(await send(house, echo, { headers }))).toMatchObject({
      id: 1,
      result: { structuredContent: { text: 'hi' } },
    });
  });

  it('keeps the answer for a client whose line broke, and gives it to no other', async () => {
    const house = await openMcpYard();
    const headers = { ...(await openSession(house)), 'mcp-protocol-version': '2025-11-25' };
    const cut = new AbortController();
    const slow = toCall(1, 'echo', { text: 'kept', afterMs: 300 });
    const first = await send(house, slow, { headers, signal: cut.signal });
    const { value = new Uint8Array() } = (await first.body?.getReader().read()) ?? {};
    const eventId = /^id: (\S+)/m.exec(new TextDecoder().decode(value))?.[1] ?? '';
    cut.abort();
    const resume = { method: 'GET', headers: { ...headers, 'last-event-id': eventId } };
    const elsewhere = { ...resume.headers, ...(await openSession(house)) };
    expect(await statusOf(send(house, undefined, { method: 'GET', headers: elsewhere }))).toBe(400);
    const resumed = await send(house, undefined, resume);
    expect(await answerOf(resumed)).toMatchObject({ id: 1, result: { structuredContent: { text: 'kept' } } });
  });

  it('hangs up on a call that was taken back, since nothing else would', async () => {
    const house = await openMcpYard();
    const headers = await openSession(house);
    const call = await send(house, toCall(1, 'linger'), { headers });
    await until(() => house.witness.lingered.length === 1);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    expect(await statusOf(send(house, cancel, { headers }))).toBe(202);
    expect(await call.text()).not.toContain('result');
    expect(house.witness.lingered).toEqual(['began', 'stopped']);
  });

  it('ends when its client says so', async () => {
    const house = await openMcpYard();
    const headers = await openSession(house);
    expect(await statusOf(send(house, undefined, { method: 'DELETE', headers }))).toBe(200);
    expect(await statusOf(send(house, toCall(1, 'echo'), { headers }))).toBe(404);
  });

  it('A10: a call that waits for an answer takes it from nobody else and for nothing else', async () => {
    const house = await openMcpYard();
    const { message, headers } = toModernCall(1, 'pay', { to: 'Ann' });
    const first = await answerOf(await send(house, message, { headers }));
    expect(first.result).toMatchObject({ resultType: 'input_required' });
    const { requestState } = first.result as { requestState: string }; // as just compared
    const reply = { approval: { action: 'accept', content: { decision: 'allow once' } } };
    const again = (input: object, request: RawRequest, state = requestState) => {
      const retry = toModernCall(2, 'pay', input, { requestState: state, inputResponses: reply });
      return send(house, retry.message, { headers: retry.headers, ...request }).then(answerOf);
    };
    const invalid = { error: { code: -32602 } };
    expect(await again({ to: 'Ann' }, { token: await agentToken(house, 'assistant') })).toMatchObject(
      invalid,
    );
    expect(await again({ to: 'Bob' }, {})).toMatchObject(invalid);
    expect(await again({ to: 'Ann' }, {}, `${requestState}x`)).toMatchObject(invalid);
    expect(house.witness.paid).toEqual([]);
    expect(await pendingOf(house)).toHaveLength(1);
    expect(await again({ to: 'Ann' }, {})).toMatchObject({ result: { structuredContent: { paid: 'Ann' } } });
    expect(await again({ to: 'Ann' }, {})).toMatchObject(invalid);
    expect(house.witness.paid).toEqual(['Ann']);
  });
});

describe('what callers send', () => {
  const bad: [string, (house: McpYard) => Promise<Response>, number][] = [
    ['5 MB', (house) => send(house, 'x'.repeat(5 * 1024 * 1024)), 413],
    ['no JSON', (house) => send(house, '{"jsonrpc":'), 400],
    ['nothing', (house) => send(house, ''), 400],
    ['a form', (house) => send(house, '{}', { headers: { 'content-type': 'text/plain' } }), 415],
    ['100,000 levels', (house) => send(house, `${'['.repeat(100_000)}${']'.repeat(100_000)}`), 400],
    [
      '__proto__',
      (house) => send(house, '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{}}}'),
      400,
    ],
    ['no session', (house) => send(house, toCall(1, 'echo')), 400],
  ];
  it.each(bad)('M1, H8: %s is refused, and the next request is served', async (_, sendBad, status) => {
    const house = await openMcpYard();
    expect(await statusOf(sendBad(house))).toBe(status);
    const { message, headers } = toModernCall(1, 'echo', { text: 'still here' });
    expect(await answerOf(await send(house, message, { headers }))).toMatchObject({
      result: { structuredContent: { text: 'still here' } },
    });
  });
});

describe('many at once', () => {
  it('M3: ten sessions with equal ids, and requests that stand alone beside them, never get each other’s results', async () => {
    const house = await openMcpYard();
    const sessions = await Promise.all(Array.from({ length: 10 }, () => openSession(house)));
    const waits = [30, 0, 15];
    const ask = async (who: string, id: number, headers?: Record<string, string>) => {
      const input = { text: `${who} asks ${id}`, afterMs: waits[id % waits.length] };
      const modern = toModernCall(id, 'echo', input);
      const sent = headers
        ? send(house, toCall(id, 'echo', input), { headers })
        : send(house, modern.message, modern);
      const answer = await answerOf(await sent);
      expect(answer).toMatchObject({ id, result: { structuredContent: { text: input.text } } });
      return (answer.result as { structuredContent: { sessionId: string } }).structuredContent.sessionId;
    };
    const ids = Array.from({ length: 6 }, (_, id) => id);
    const askAll = (who: string, headers?: Record<string, string>) =>
      Promise.all(ids.map((id) => ask(who, id, headers))).then((seen) => new Set(seen));
    const seen = await Promise.all([
      ...sessions.map((headers, who) => askAll(`session ${who}`, headers)),
      askAll('alone'),
    ]);
    expect(seen.map(({ size }) => size)).toEqual(Array(11).fill(1));
    expect(new Set(seen.flatMap((each) => [...each])).size).toBe(11);
  });

  it('M3: a second call with the id of one under way is refused, and the first keeps its answer', async () => {
    const house = await openMcpYard();
    const headers = await openSession(house);
    const first = await send(house, toCall(7, 'echo', { text: 'first', afterMs: 300 }), { headers });
    expect(await statusOf(send(house, toCall(7, 'echo', { text: 'second' }), { headers }))).toBe(400);
    expect(await answerOf(first)).toMatchObject({ id: 7, result: { structuredContent: { text: 'first' } } });
    const later = await send(house, toCall(7, 'echo', { text: 'third' }), { headers });
    expect(await answerOf(later)).toMatchObject({ result: { structuredContent: { text: 'third' } } });
  });

  it('makes room by letting the oldest idle session of a token go, and no other’s', async () => {
    const house = await openMcpYard();
    const stranger = { token: await agentToken(house, 'assistant') };
    const theirs = await openSession(house, stranger);
    const [first, second] = [await openSession(house), await openSession(house)];
    for (let opened = 2; opened < 100; opened++) await openSession(house);
    const echo = toCall(1, 'echo', { text: '' });
    expect(await statusOf(send(house, echo, { headers: first }))).toBe(200);
    await openSession(house);
    const statuses = [
      send(house, echo, { headers: first }),
      send(house, echo, { headers: second }),
      send(house, echo, { headers: theirs, ...stranger }),
    ];
    expect(await Promise.all(statuses.map(statusOf))).toEqual([200, 404, 200]);
  });
});
