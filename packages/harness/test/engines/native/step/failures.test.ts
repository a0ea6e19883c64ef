import { ToolyardError } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import {
  type FaultOf,
  toFault as toFaultOf,
  toFinalFault,
  toInternal,
} from '../../../../src/engines/native/step/failures.ts';

const of: FaultOf = {
  provider: 'anthropic',
  model: 'claude-opus-9',
  settings: { key: 'ANTHROPIC_API_KEY', address: 'ANTHROPIC_BASE_URL' },
  hint: 'Did you mean "anthropic/claude-opus-5"?',
};
const toFault = (thrown: unknown) => toFaultOf(thrown, of);

/** An error as the provider shapes it. */
const httpError = (statusCode: number, message = 'what it said') =>
  Object.assign(new Error(message), {
    statusCode,
    responseHeaders: { 'retry-after': '2' },
    isRetryable: false,
  });

describe('a fault of the model', () => {
  it.each([
    [429, 'provider_overloaded', true],
    [503, 'provider_overloaded', true],
    [529, 'provider_overloaded', true],
    [500, 'provider_failed', true],
    [502, 'provider_failed', true],
    [504, 'provider_failed', true],
    [401, 'provider_auth', false],
    [403, 'provider_auth', false],
    [302, 'provider_rejected', false],
    [400, 'provider_rejected', false],
    [402, 'provider_auth', false],
    [404, 'unknown_model', false],
    [413, 'provider_rejected', false],
    [200, 'stream_cut', true],
  ])('status %i is %s, passing: %s', (status, code, passing) => {
    const fault = toFault(httpError(status));
    expect([fault.failure.code, fault.isTransient]).toEqual([code, passing]);
  });

  it('says what the provider said, its status and what to do', () => {
    expect(toFault(httpError(401, 'invalid x-api-key')).failure).toEqual({
      code: 'provider_auth',
      message:
        'The model’s provider refused the credentials (401: invalid x-api-key). Check ANTHROPIC_API_KEY, then retry the turn.',
    });
  });

  it('carries the headers that say how long to wait', () => {
    expect(toFault(httpError(429)).headers).toEqual({ 'retry-after': '2' });
  });

  it('cuts a provider’s whole page down to its beginning', () => {
    const { message } = toFault(httpError(502, `<html>\n${'bad gateway '.repeat(1_000)}`)).failure;
    expect(message.length).toBeLessThan(500);
  });

  it('is passing when no connection could be made', () => {
    const fault = toFault(Object.assign(new Error('connect ECONNREFUSED'), { isRetryable: true }));
    expect(fault).toEqual({
      failure: { code: 'provider_failed', message: expect.stringContaining('connect ECONNREFUSED') },
      isTransient: true,
    });
  });

  it.each([new Error('Unsupported chunk'), 'a string', undefined, null, 42])(
    'is a malformed response when it is nothing known: %s',
    (thrown) => {
      const fault = toFault(thrown);
      expect([fault.failure.code, fault.isTransient]).toEqual(['malformed_response', false]);
    },
  );

  it('keeps the words of an error that was made for people', () => {
    const { failure } = toFault(new ToolyardError('provider_auth', 'Set a key.'));
    expect(failure).toEqual({ code: 'provider_auth', message: 'Set a key.' });
  });

  it('says how often it was tried', () => {
    const fault = toFault(httpError(529));
    expect(toFinalFault(fault, 1)).toEqual(fault);
    expect(toFinalFault(fault, 5).failure.message).toMatch(/5 attempts/);
  });

  it('names the cause when the engine itself broke', () => {
    expect(toInternal(new Error('no such thing'))).toEqual({
      code: 'internal',
      message: expect.stringContaining('no such thing'),
    });
  });
});

describe('what a provider refuses, in one sentence that says what to do', () => {
  /** As the AI SDK's providers throw it. */
  const thrown = (statusCode: number, message: string, error: object = {}) =>
    Object.assign(new Error(message), { statusCode, data: { error: { message, ...error } } });

  it.each([
    ['Anthropic', thrown(400, 'prompt is too long: 210000 tokens > 200000 maximum')],
    ['Anthropic, by size', thrown(413, 'Request too large', { type: 'request_too_large' })],
    [
      'OpenAI',
      thrown(400, 'Your input exceeds the context window of this model.', {
        code: 'context_length_exceeded',
      }),
    ],
    [
      'Google',
      thrown(400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'),
    ],
    [
      'a likeness',
      thrown(400, "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens."),
    ],
    [
      'an error inside a stream',
      { message: 'too long', type: 'invalid_request_error', code: 'context_length_exceeded' },
    ],
  ])('a conversation that is too long, by %s', (_, error) => {
    expect(toFault(error)).toMatchObject({
      isTooLong: true,
      isTransient: false,
      failure: { code: 'provider_rejected', message: expect.stringContaining('start a new session') },
    });
  });

  it('other bad requests are not taken for too long a conversation', () => {
    for (const said of [
      'messages: roles must alternate',
      'max_tokens exceeds the maximum',
      'image too large',
    ])
      expect([said, toFault(thrown(400, said)).isTooLong]).toEqual([said, undefined]);
  });

  it.each([
    ['402', thrown(402, 'Payment required')],
    [
      'a quota that is used up',
      thrown(429, 'You exceeded your current quota', { code: 'insufficient_quota' }),
    ],
    [
      'the same inside a stream',
      { message: 'no credit', type: 'insufficient_quota', code: 'insufficient_quota' },
    ],
  ])('an account that cannot pay: %s', (_, error) => {
    expect(toFault(error)).toMatchObject({
      isTransient: false,
      failure: { code: 'provider_auth', message: expect.stringMatching(/cannot pay .*Add credit/) },
    });
  });

  it('a model that does not exist, with the one that was meant', () => {
    expect(toFault(thrown(404, 'model: claude-opus-9')).failure).toEqual({
      code: 'unknown_model',
      message:
        'The model’s provider does not know the model or the address (404: model: claude-opus-9). The model anthropic/claude-opus-9 may not exist. Did you mean "anthropic/claude-opus-5"? Choose another model (`toolyard models list`) or check ANTHROPIC_BASE_URL, then retry the turn.',
    });
  });

  it('a wrong key, as Google says it', () => {
    const details = [{ reason: 'API_KEY_INVALID' }];
    const fault = toFault(thrown(400, 'API key not valid.', { status: 'INVALID_ARGUMENT', details }));
    expect(fault.failure).toMatchObject({
      code: 'provider_auth',
      message: expect.stringContaining('Check ANTHROPIC'),
    });
  });

  it('a rate, with the wait that stands in the body', () => {
    const details = [{ '@type': 'x' }, { retryDelay: '34.5s' }];
    expect(
      toFault(thrown(429, 'Resource exhausted', { status: 'RESOURCE_EXHAUSTED', details })),
    ).toMatchObject({
      isTransient: true,
      headers: { 'retry-after': '34.5' },
      failure: { code: 'provider_overloaded' },
    });
  });

  it.each([
    [{ message: 'slow down', type: 'rate_limit_error' }, 'provider_overloaded'],
    [{ message: 'later', code: 503 }, 'provider_overloaded'],
    [{ message: 'oops', type: 'server_error' }, 'provider_failed'],
    [new TypeError('terminated'), 'stream_cut'],
    [new Error('Response stream ended without a finish reason.'), 'stream_cut'],
  ])('an error inside a stream: %s', (error, code) => {
    expect(toFault(error)).toMatchObject({ isTransient: true, failure: { code } });
  });
});
