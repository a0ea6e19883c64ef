import { ToolyardError } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { toFault, toGivenUp, toInternal } from '../../../src/engines/native/failures.ts';

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
    [404, 'provider_rejected', false],
    [413, 'provider_rejected', false],
    [200, 'stream_cut', true],
  ])('status %i is %s, passing: %s', (status, code, passing) => {
    const fault = toFault(httpError(status));
    expect([fault.failure.code, fault.passing]).toEqual([code, passing]);
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
      passing: true,
    });
  });

  it.each([new Error('Unsupported chunk'), 'a string', undefined, null, 42])(
    'is a malformed response when it is nothing known: %s',
    (thrown) => {
      const fault = toFault(thrown);
      expect([fault.failure.code, fault.passing]).toEqual(['malformed_response', false]);
    },
  );

  it('keeps the words of an error that was made for people', () => {
    const { failure } = toFault(new ToolyardError('provider_auth', 'Set a key.'));
    expect(failure).toEqual({ code: 'provider_auth', message: 'Set a key.' });
  });

  it('says how often it was tried', () => {
    const fault = toFault(httpError(529));
    expect(toGivenUp(fault, 1)).toEqual(fault);
    expect(toGivenUp(fault, 5).failure.message).toMatch(/5 attempts were made/);
  });

  it('names the cause when the engine itself broke', () => {
    expect(toInternal(new Error('no such thing'))).toEqual({
      code: 'internal',
      message: expect.stringContaining('no such thing'),
    });
  });
});
