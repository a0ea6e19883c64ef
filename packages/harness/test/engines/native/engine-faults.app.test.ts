import { type Resume, ToolyardError } from '@toolyard/sdk';
import { createRecordingHost } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import { createNativeEngine } from '../../../src/engines/native/engine.ts';
import {
  callFrames,
  frame,
  hangUp,
  messageStart,
  refuse,
  refuseAs,
  say,
  serveModel,
  textFrames,
  wire,
  wireAndSilence,
} from './model-server.ts';
import { accessTo, engineOn, failureOf, play, spec } from './native-turn.ts';

const overloaded = refuseAs(529, 'overloaded_error', 'Overloaded');

describe('a turn of the native engine fails with a sentence when', () => {
  it('nobody serves the model', async () => {
    const access = () => Promise.reject(new ToolyardError('unknown_model', 'There is no such model.'));
    const failure = failureOf((await play(createNativeEngine({ access }))).outcome);
    expect(failure).toEqual({ code: 'unknown_model', message: 'There is no such model.' });
  });

  it('there are no credentials, whatever the environment holds', async () => {
    const engine = createNativeEngine({ access: accessTo({ baseUrl: 'http://127.0.0.1:1', apiKey: '' }) });
    expect(failureOf((await play(engine)).outcome)).toEqual({
      code: 'provider_auth',
      message: expect.stringContaining('ANTHROPIC_API_KEY'),
    });
  });

  it('the key cannot be sent, and nothing of it is said', async () => {
    const [key, address] = ['MYKEY', 'providers.own.baseUrl'];
    for (const given of [{ apiKey: 'AAAA\nBBBB' }, { apiKey: '“AAAA”' }, { authToken: 'AAAA\0' }]) {
      const access = accessTo({ baseUrl: 'http://127.0.0.1:1', ...given, settings: { key, address } });
      const failure = failureOf((await play(createNativeEngine({ access }))).outcome);
      expect(failure).toEqual({
        code: 'provider_auth',
        message:
          'The key for anthropic is not valid: it contains a line break, a curly quote or a similar character. Set MYKEY to the key alone.',
      });
    }
  });

  it('the address of the provider is none', async () => {
    for (const baseUrl of ['nowhere', 'file:///etc/passwd', 'http://', '', 'http://me:secret@host']) {
      const engine = createNativeEngine({ access: accessTo({ baseUrl }) });
      const failure = failureOf((await play(engine)).outcome);
      expect(failure).toEqual({
        code: 'invalid_config',
        message: expect.stringContaining('ANTHROPIC_BASE_URL'),
      });
      expect(failure.message).not.toContain('secret');
    }
  });

  it('access to the model cannot be had', async () => {
    const engine = createNativeEngine({ access: () => Promise.reject(new Error('locked away')) });
    expect(failureOf((await play(engine)).outcome)).toMatchObject({ code: 'internal' });
  });

  it('nobody listens at the address, after the attempts it may make', async () => {
    const server = await serveModel(say('Hello.'));
    await server[Symbol.asyncDispose]();
    const failure = failureOf(
      (await play(engineOn(server, { retry: { initialWaitMs: 1, attempts: 3 } }))).outcome,
    );
    expect(failure.code).toBe('provider_failed');
    expect(failure.message).toMatch(/could not be reached .*ECONNREFUSED.*3 attempts/);
  });

  it('the provider answers with a redirect, which is not followed', async () => {
    await using elsewhere = await serveModel(say('Give me your key.'));
    await using server = await serveModel(refuse(307, '', { location: `${elsewhere.url}/v1/messages` }));
    expect(failureOf((await play(engineOn(server))).outcome).code).toBe('provider_rejected');
    expect(elsewhere.requests).toEqual([]);
  });

  it('the answer is a page', async () => {
    await using server = await serveModel((response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>'),
    );
    expect(failureOf((await play(engineOn(server))).outcome)).toEqual({
      code: 'malformed_response',
      message: expect.stringContaining('text/html'),
    });
  });

  it('the first event is not JSON', async () => {
    await using server = await serveModel(wire('event: message_start\ndata: {"type": "mess\n\n'));
    expect(failureOf((await play(engineOn(server))).outcome).code).toBe('malformed_response');
    expect(server.requests.length).toBe(1);
  });

  it('the stream ends without an end', async () => {
    await using server = await serveModel(wire(textFrames('Hello.').slice(0, -1).join('')));
    const { outcome, host } = await play(engineOn(server));
    expect(failureOf(outcome).code).toBe('stream_cut');
    expect(host.events).toEqual([
      { type: 'text_delta', data: { text: 'Hello.' } },
      { type: 'usage', data: { inputTokens: 0, outputTokens: 0 } },
    ]);
    expect(server.requests.length).toBe(1);
  });

  it('the stream falls silent, before its first event or after', async () => {
    for (const frames of [[], textFrames('Hello.').slice(0, 3)]) {
      await using server = await serveModel(wireAndSilence(frames.join('')));
      const { outcome } = await play(engineOn(server, { idleTimeoutMs: 500 }));
      expect(failureOf(outcome)).toEqual({
        code: 'stream_cut',
        message: expect.stringContaining('0.5 seconds'),
      });
      expect(server.requests.length).toBe(1);
    }
  });

  it('the answer is cut at the model’s longest', async () => {
    await using server = await serveModel(wire(textFrames('Once upon', 'max_tokens').join('')));
    expect(failureOf((await play(engineOn(server))).outcome).message).toMatch(/maximum answer length/);
  });

  it('its checkpoints cannot be stored', async () => {
    await using server = await serveModel(say('Hello.'));
    const session = await engineOn(server).start(spec);
    const host = {
      ...createRecordingHost(),
      checkpoint: () => Promise.reject(new Error('the disk is full')),
    };
    const outcome = await session.prompt({ kind: 'message', content: 'hi' }, host);
    expect(failureOf(outcome).message).toContain('the disk is full');
  });

  it('its stored transcript cannot be read', async () => {
    await using server = await serveModel(say('Hello.'));
    const resume: Resume = { entries: ['nonsense'] };
    expect(failureOf((await play(engineOn(server), 'hi', { spec: { resume } })).outcome).code).toBe(
      'database_corrupt',
    );
  });

  it('there is nothing to continue', async () => {
    await using server = await serveModel(say('Hello.'));
    const { outcome } = await play(engineOn(server), { kind: 'continue', settled: [] });
    expect(failureOf(outcome).code).toBe('nothing_to_retry');
  });
});

it('a stream of events may be called so in any case', async () => {
  await using server = await serveModel((response) =>
    response
      .writeHead(200, { 'content-type': 'Text/Event-Stream; charset=utf-8' })
      .end(textFrames('Hello.').join('')),
  );
  expect((await play(engineOn(server))).outcome).toEqual({ outcome: 'completed' });
});

describe('the native engine tries again', () => {
  it('after a cut, an overload and an overload inside the stream, as long as nothing was shown', async () => {
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    const early = wire(messageStart() + frame({ type: 'error', error }));
    await using server = await serveModel(hangUp, overloaded, early, say('Hello.'));
    const { outcome, host } = await play(engineOn(server));
    expect(outcome).toEqual({ outcome: 'completed' });
    expect(host.events).toEqual([
      { type: 'text_delta', data: { text: 'Hello.' } },
      {
        type: 'usage',
        data: { inputTokens: 30, outputTokens: 5, cacheReadTokens: 20, cacheWriteTokens: 3 },
      },
    ]);
    expect(server.requests.length).toBe(4);
  });

  it('never once something was shown, be it the start of a call', async () => {
    const error = frame({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
    const begun = callFrames('toolu_1', 'mcp__suite__echo', '{"te').slice(0, 2);
    await using server = await serveModel(wire([...begun, error].join('')));
    const { outcome, host } = await play(engineOn(server));
    expect(failureOf(outcome).code).toBe('provider_overloaded');
    expect([server.requests.length, host.calls]).toEqual([1, []]);
  });

  it('never after a refusal that will not change', async () => {
    for (const status of [400, 401, 404, 413]) {
      await using server = await serveModel(refuseAs(status, 'invalid_request_error', 'no'));
      failureOf((await play(engineOn(server))).outcome);
      expect(server.requests.length).toBe(1);
    }
  });

  it('five times in all by default, the wait growing from the first', async () => {
    await using server = await serveModel(overloaded);
    const startedAt = performance.now();
    const { outcome } = await play(engineOn(server, { retry: { initialWaitMs: 20 }, random: () => 1 }));
    expect(failureOf(outcome).message).toMatch(/5 attempts/);
    expect(server.requests.length).toBe(5);
    expect(performance.now() - startedAt).toBeGreaterThan(20 + 40 + 80 + 160 - 10);
  });

  it('not at all when told to wait for an hour', async () => {
    await using server = await serveModel(
      refuseAs(429, 'rate_limit_error', 'slow down', { 'retry-after': '3600' }),
    );
    const { outcome } = await play(engineOn(server));
    expect([failureOf(outcome).code, server.requests.length]).toEqual(['provider_overloaded', 1]);
  });

  it('no more when it is interrupted while it waits', async () => {
    await using server = await serveModel(overloaded);
    const session = await engineOn(server, { retry: { initialWaitMs: 50_000 } }).start(spec);
    const host = createRecordingHost();
    const turn = session.prompt({ kind: 'message', content: 'hi' }, host);
    await expect.poll(() => server.requests.length).toBe(1);
    const abortedAt = performance.now();
    host.abort();
    expect(await turn).toEqual({ outcome: 'interrupted' });
    expect(performance.now() - abortedAt).toBeLessThan(5_000);
  });
});
