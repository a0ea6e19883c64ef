// The two shapes of errors at /mcp: ours before somebody is let in, JSON-RPC after it.
import { describe, expect, it } from 'vitest';
import { agentToken, type McpYard, openMcpYard } from './clients.ts';
import { openSession, type RawRequest, send, toCall } from './raw.ts';

async function read(response: Response) {
  return { status: response.status, headers: response.headers, body: await response.json() };
}

describe('who is not let in', () => {
  it('reads our own error, and with 401 how to get in', async () => {
    const house = await openMcpYard();
    const missing = await read(await send(house, toCall(1, 'echo'), { token: '' }));
    expect(missing).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
    expect(missing.headers.get('www-authenticate')).toBe('Bearer realm="toolyard"');
    const wrong = await read(await send(house, toCall(1, 'echo'), { token: 'wrong' }));
    expect(wrong).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
    expect(wrong.headers.get('www-authenticate')).toBe('Bearer realm="toolyard", error="invalid_token"');
    const foreign = { headers: { origin: 'http://evil.com' } };
    expect(await read(await send(house, toCall(1, 'echo'), foreign))).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden_origin' } },
    });
  });
});

describe('who is let in', () => {
  const echo = toCall(7, 'echo');
  const cases: [string, unknown, (house: McpYard) => Promise<RawRequest> | RawRequest, object][] = [
    ['no JSON', '{"jsonrpc":', () => ({}), { status: 400, id: null, code: -32700, name: 'invalid_json' }],
    [
      'a body of 5 MB',
      'x'.repeat(5 * 1024 * 1024),
      () => ({}),
      { status: 413, id: null, code: -32600, name: 'payload_too_large' },
    ],
    [
      'a form',
      '{}',
      () => ({ headers: { 'content-type': 'text/plain' } }),
      { status: 415, id: null, code: -32600, name: 'unsupported_media_type' },
    ],
    [
      'a directory that is not there',
      echo,
      () => ({ query: '?cwd=/no/such/place' }),
      { status: 400, id: 7, code: -32600, name: 'invalid_request' },
    ],
    [
      'a role that the token does not have',
      echo,
      async (house) => ({ query: '?role=assistant', token: await agentToken(house, 'reviewer') }),
      { status: 403, id: 7, code: -32600, name: 'person_only' },
    ],
    ['no session', echo, () => ({}), { status: 400, id: null, code: -32600, name: undefined }],
    [
      'a session that is not there',
      echo,
      () => ({ headers: { 'mcp-session-id': 'guessed' } }),
      { status: 404, id: null, code: -32001, name: undefined },
    ],
    ['a method of HTTP that means nothing', '{}', () => ({ method: 'PUT' }), { status: 400, id: null }],
  ];

  it.each(cases)('reads JSON-RPC: %s', async (_, body, toRequest, expected) => {
    const house = await openMcpYard();
    const { status, body: answer } = await read(await send(house, body, await toRequest(house)));
    expect(answer).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
    const { id, error } = answer;
    expect({ status, id, code: error.code, name: error.data?.code }).toMatchObject(expected);
  });

  it('reads JSON-RPC when a token has all the sessions it may have', async () => {
    const house = await openMcpYard();
    const cut = new AbortController();
    // Held: fetch hangs up a response that was garbage-collected unread, and its session would be free again.
    const streams: Response[] = [];
    while (streams.length < 100) {
      const headers = { ...(await openSession(house)), accept: 'text/event-stream' };
      streams.push(await send(house, undefined, { method: 'GET', headers, signal: cut.signal }));
    }
    const full = await read(
      await send(house, {
        jsonrpc: '2.0',
        id: 3,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      }),
    );
    cut.abort();
    expect(streams.every(({ ok }) => ok)).toBe(true);
    expect(full).toMatchObject({
      status: 429,
      body: { jsonrpc: '2.0', id: 3, error: { code: -32600, data: { code: 'too_many_pending' } } },
    });
  });
});
