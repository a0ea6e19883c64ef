import { createRecordingHost } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import { createNativeEngine } from '../../../src/engines/native/engine.ts';
import {
  callFrames,
  frame,
  type ModelServer,
  messageStart,
  say,
  serveModel,
  textFrames,
  wire,
  wireAndSilence,
} from './model-server.ts';
import { accessTo, engineOn, play, spec, unmarked } from './native-turn.ts';

describe('what the native engine sends', () => {
  it('is the instructions, the tools, the message and the key, at the CLI’s base URL plus /v1', async () => {
    await using server = await serveModel(say('Hello.'));
    const specs = [{ name: 'mcp__t__x', description: 'Does x.', inputSchema: { type: 'object' } }];
    await play(engineOn(server), 'hi', { specs });
    expect(unmarked(server.requests)).toEqual([
      expect.objectContaining({
        model: 'claude-sonnet-4-5',
        stream: true,
        system: [{ type: 'text', text: 'Be brief.' }],
        tools: [
          expect.objectContaining({
            name: 'mcp__t__x',
            description: 'Does x.',
            input_schema: { type: 'object' },
          }),
        ],
        messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
      }),
    ]);
    expect(server.headers[0]).toMatchObject({ 'x-api-key': 'a-key' });
  });

  it('prefers a token to a key, and follows a key that changes', async () => {
    await using server = await serveModel(say('Hello.'));
    const access = [{ apiKey: 'first' }, { apiKey: 'second' }, { apiKey: 'third', authToken: 'token' }];
    const engine = createNativeEngine({
      access: (name) => accessTo({ baseUrl: `${server.url}/`, ...access.shift() })(name),
    });
    for (const _ of [1, 2, 3]) expect((await play(engine)).outcome).toEqual({ outcome: 'completed' });
    expect(server.headers.map((headers) => [headers['x-api-key'], headers.authorization])).toEqual([
      ['first', undefined],
      ['second', undefined],
      [undefined, 'Bearer token'],
    ]);
  });

  it('holds results with their error flag, and thoughts with their signature', async () => {
    const thinking = [
      messageStart(),
      frame({ type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } }),
      frame({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } }),
      frame({ type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } }),
      frame({ type: 'content_block_stop', index: 0 }),
      ...callFrames('toolu_1', 'mcp__suite__fail', '{}')
        .slice(1)
        .map((text) => text.replace('"index":0', '"index":1')),
    ];
    await using server = await serveModel(wire(thinking.join('')), say('Well.'));
    await play(engineOn(server));
    expect(unmarked(server.requests[1]?.messages)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
          { type: 'tool_use', id: 'toolu_1', name: 'mcp__suite__fail', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'the suite said no', is_error: true },
        ],
      },
    ]);
  });
});

describe('what stays of an answer that broke off', () => {
  const slow = wireAndSilence(textFrames('Once upon').slice(0, 3).join(''));

  async function interrupted(server: ModelServer) {
    const session = await engineOn(server).start(spec);
    const host = createRecordingHost();
    const turn = session.prompt({ kind: 'message', content: 'hi' }, host);
    await expect.poll(() => host.events.length).toBe(1);
    host.abort();
    const abortedAt = performance.now();
    expect(await turn).toEqual({ outcome: 'interrupted' });
    expect(performance.now() - abortedAt).toBeLessThan(5_000);
    return session;
  }

  it('is in the conversation when a person goes on', async () => {
    await using server = await serveModel(slow, say('a time.'));
    const session = await interrupted(server);
    await session.prompt({ kind: 'message', content: 'go on' }, createRecordingHost());
    expect(unmarked(server.requests[1]?.messages)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Once upon' }] },
      { role: 'user', content: [{ type: 'text', text: 'go on' }] },
    ]);
  });

  it('is withdrawn when the turn is tried again', async () => {
    await using server = await serveModel(slow, say('Once upon a time.'), say('Yes.'));
    const session = await interrupted(server);
    await session.prompt({ kind: 'continue', settled: [] }, createRecordingHost());
    await session.prompt({ kind: 'message', content: 'more' }, createRecordingHost());
    expect(unmarked(server.requests[1]?.messages)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    ]);
    expect(unmarked(server.requests[2]?.messages)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Once upon a time.' }] },
      { role: 'user', content: [{ type: 'text', text: 'more' }] },
    ]);
  });

  it('is not the calls it announced, which never ran', async () => {
    const frames = callFrames('toolu_1', 'mcp__suite__echo', '{"text":"one"}').slice(0, -1);
    await using server = await serveModel(wire(frames.join('')), say('Hello.'));
    const { host, session } = await play(engineOn(server));
    await session.prompt({ kind: 'message', content: 'again' }, createRecordingHost());
    expect(host.calls).toEqual([]);
    expect(JSON.stringify(server.requests[1]?.messages)).not.toContain('toolu_1');
  });
});
