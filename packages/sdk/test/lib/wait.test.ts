import { pause, untilAborted } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';

describe('pause', () => {
  it('ends at once when the signal aborts, or has aborted', async () => {
    const controller = new AbortController();
    const waiting = pause(60_000, controller.signal);
    controller.abort();
    await waiting;
    await pause(60_000, controller.signal);
  });
});

describe('untilAborted', () => {
  it('is the work’s result when nothing aborts', async () => {
    expect(await untilAborted(Promise.resolve('done'), new AbortController().signal)).toBe('done');
  });

  it('passes a failure on', async () => {
    const work = Promise.reject(new Error('no'));
    await expect(untilAborted(work, new AbortController().signal)).rejects.toThrow('no');
  });

  it('leaves work behind that goes on, or fails, after the abort', async () => {
    const controller = new AbortController();
    const { promise, reject } = Promise.withResolvers<string>();
    const waiting = untilAborted(promise, controller.signal);
    controller.abort();
    expect(await waiting).toBeUndefined();
    reject(new Error('too late for anyone to hear'));
    expect(await untilAborted(new Promise(() => {}), controller.signal)).toBeUndefined();
  });
});
