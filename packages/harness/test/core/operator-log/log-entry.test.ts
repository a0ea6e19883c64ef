// One entry of the operator's log: what it holds of anything it is given, and that its line is one line.
import { ToolyardError } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { toLogEntry, toLogLine } from '../../../src/core/operator-log/log-entry.ts';
import { createRedact } from '../../../src/core/operator-log/redact.ts';

const time = '2026-11-15T08:00:00.000Z';
const redact = createRedact({ SOME_TOKEN: 'a-known-value' });
const toEntry = (message: string, data?: Record<string, unknown>) =>
  toLogEntry({ time, level: 'warn', message, data }, redact);
const toFields = (data: Record<string, unknown>) => {
  const { time: _time, level: _level, message: _message, ...fields } = toEntry('x', data);
  return fields;
};

describe('an entry', () => {
  it('is time, level, words and fields', () => {
    const entry = toEntry('could not write a trace', { sessionId: 'ses_1', count: 2, nothing: undefined });
    expect(entry).toEqual({
      time,
      level: 'warn',
      message: 'could not write a trace',
      sessionId: 'ses_1',
      count: 2,
    });
    expect(toLogLine(entry)).toBe(`${JSON.stringify(entry)}\n`);
  });

  it('has errors with code, data, frames and causes', () => {
    const root = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    const cause = new ToolyardError('storage_failed', 'The disk is full.', {
      data: { reason: 'x' },
      cause: root,
    });
    expect(toFields({ cause })).toEqual({
      cause: {
        name: 'ToolyardError',
        message: 'The disk is full.',
        code: 'storage_failed',
        data: { reason: 'x' },
        stack: expect.stringMatching(/^at .*log-entry\.test/),
        cause: {
          name: 'Error',
          message: 'no space',
          code: 'ENOSPC',
          stack: expect.stringMatching(/^at /),
        },
      },
    });
  });

  it('has every error of an AggregateError', () => {
    const cause = new AggregateError([new Error('one'), new Error('two')], 'both');
    expect(toFields({ cause })).toMatchObject({
      cause: { message: 'both', errors: [{ message: 'one' }, { message: 'two' }] },
    });
  });

  it('hides secrets at every depth: in causes, addresses, headers, keys and words', () => {
    const cause = new Error('asked http://x/?key=abcdefgh', {
      cause: new Error('with a-known-value', {
        cause: { headers: new Headers({ 'x-api-key': 'abc', cookie: 'a=b', accept: '*' }) },
      }),
    });
    const entry = toEntry('failed with a-known-value', {
      cause,
      url: new URL('http://me:secret@x/login?code=abc'),
      password: 'hunter2',
      'a-known-value': 1,
    });
    const line = toLogLine(entry);
    for (const secret of ['a-known-value', 'abcdefgh', 'hunter2', 'a=b', 'me:secret', 'code=abc', '"abc"'])
      expect(line).not.toContain(secret);
    expect(entry).toMatchObject({
      message: 'failed with [redacted]',
      cause: { cause: { cause: { headers: { accept: '*', cookie: '[redacted]' } } } },
      url: 'http://[redacted]@x/login?code=[redacted]',
    });
  });

  it('shows whatever it is given in some way, and never throws', () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const throwing = {
      get broken(): never {
        throw new Error('no');
      },
    };
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    expect(
      toFields({
        circle,
        throwing,
        revoked: revoked.proxy,
        big: 10n,
        nan: Number.NaN,
        date: new Date(0),
        bad: new Date(Number.NaN),
        set: new Set([1]),
        map: new Map([['a', 1]]),
        none: null,
        bytes: new Uint8Array(3),
        call: () => {},
        symbol: Symbol('s'),
        list: Array(150).fill(1),
      }),
    ).toEqual({
      circle: { self: '[circular]' },
      throwing: '[cannot be shown]',
      revoked: '[cannot be shown]',
      big: '10',
      nan: 'NaN',
      date: '1970-01-01T00:00:00.000Z',
      bad: 'Invalid Date',
      set: [1],
      map: { a: 1 },
      none: null,
      bytes: '[3 bytes]',
      call: '[function]',
      symbol: '[symbol]',
      list: [...Array(100).fill(1), '[50 more]'],
    });
  });

  it('is bounded in depth, length and width', () => {
    const deep = Array.from({ length: 50 }).reduce<object>((inner) => ({ inner }), {});
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, index]));
    const entry = toEntry('x'.repeat(1_000_000), { deep, wide, long: 'y'.repeat(5_000) });
    expect(entry.message).toBe(`${'x'.repeat(4_000)}… [61536 more characters]`);
    expect(entry.long).toBe(`${'y'.repeat(4_000)}… [1000 more characters]`);
    expect(JSON.stringify(entry.deep)).toContain('[deeper than is shown]');
    expect(Object.keys(Object(entry.wide))).toHaveLength(101);
    const many = Object.fromEntries(Array.from({ length: 90 }, (_, key) => [key, 'z'.repeat(4_000)]));
    const line = toLogLine(toEntry('short', many));
    expect(line.length).toBeLessThan(64 * 1024 + 2);
    expect(JSON.parse(line)).toMatchObject({ time, level: 'warn', message: 'short' });
  });
});
