// What one socket reads, with a line whose room the test decides: one page at a time, in turns, and nothing of what ended.
import { type Event, pause, ToolyardError } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import type { Log } from '../../../src/core/log/log.ts';
import { createSubscriptions } from '../../../src/http/streams/subscriptions.ts';
import { quiet } from '../../support/yard.ts';

const pageLength = 4;

/** Logs of 100 events each, read in pages of four, and how many pages of each were read. */
function createLogs() {
  const pages = new Map<string, number>();
  const toEvent = (sessionId: string, seq: number): Event => ({
    sessionId,
    seq,
    at: '2026-01-01T00:00:00.000Z',
    type: 'text_delta',
    data: { text: 'x' },
  });
  const open = (sessionId: string, after: number) => {
    let place = after;
    return {
      async next() {
        if (sessionId === 'broken') throw new ToolyardError('database_corrupt', 'Damaged.');
        pages.set(sessionId, (pages.get(sessionId) ?? 0) + 1);
        const page = Array.from({ length: pageLength }, (_, index) => toEvent(sessionId, place + index + 1));
        place += pageLength;
        return place > 100 ? [] : page;
      },
      get after() {
        return place;
      },
      close() {},
    };
  };
  // Only what subscriptions ask of a log.
  return { pages, log: { open } as unknown as Log };
}

/** A line that takes as many frames as it is told to. */
function createControlledLine() {
  const sent: string[] = [];
  let room = 0;
  let sleepers: (() => void)[] = [];
  return {
    sent,
    give(frames: number) {
      room += frames;
      for (const wake of sleepers.splice(0)) wake();
    },
    writer: {
      send(text: string) {
        const { event } = JSON.parse(text);
        sent.push(`${event.sessionId} ${event.seq}`);
        room--;
      },
      isFull: () => room <= 0,
      ready: () =>
        new Promise<void>((resolve) => {
          if (room > 0) resolve();
          else sleepers = [...sleepers, resolve];
        }),
      close() {},
    },
  };
}

function createStage() {
  const { pages, log } = createLogs();
  const { sent, give, writer } = createControlledLine();
  const told: object[] = [];
  const subscriptions = createSubscriptions({
    log,
    writer,
    logger: quiet,
    send: (frame) => void told.push(frame),
  });
  const settle = () => pause(5);
  return { pages, sent, give, told, subscriptions, settle };
}

describe('the subscriptions of a socket', () => {
  it('P11: hold one page between them while the reader takes nothing', async () => {
    const { pages, subscriptions, give, settle } = createStage();
    for (let number = 0; number < 50; number++) subscriptions.open({ sessionId: `s${number}`, after: 0 });
    await settle();
    expect([...pages.values()]).toEqual([]);
    give(1);
    await settle();
    expect([...pages]).toEqual([['s0', 1]]);
  });

  it('take turns, a page each', async () => {
    const { sent, subscriptions, give, settle } = createStage();
    for (const sessionId of ['a', 'b']) subscriptions.open({ sessionId, after: 0 });
    give(12);
    await settle();
    expect(sent.map((writer) => writer[0]).join('')).toBe('aaaabbbbaaaa');
  });

  it('say nothing more of one that was replaced in the middle of a page', async () => {
    const { sent, subscriptions, give, settle } = createStage();
    subscriptions.open({ sessionId: 'a', after: 0 });
    give(2);
    await settle();
    subscriptions.open({ sessionId: 'a', after: 50 });
    give(3);
    await settle();
    expect(sent).toEqual(['a 1', 'a 2', 'a 51', 'a 52', 'a 53']);
  });

  it('are dropped each with the last event that was sent', async () => {
    const { sent, told, subscriptions, give, settle } = createStage();
    for (const sessionId of ['a', 'b']) subscriptions.open({ sessionId, after: 0 });
    give(6);
    await settle();
    subscriptions.drop();
    give(100);
    await settle();
    expect(sent).toHaveLength(6);
    expect(told).toEqual([
      { type: 'resync', sessionId: 'a', after: 4 },
      { type: 'resync', sessionId: 'b', after: 2 },
    ]);
    expect(subscriptions.count()).toBe(0);
  });

  it('end when their log cannot be read, under the name they were asked by, and disturb nobody', async () => {
    const { sent, told, subscriptions, give, settle } = createStage();
    subscriptions.open({ sessionId: 'broken', after: 0, ref: 'r' });
    subscriptions.open({ sessionId: 'a', after: 96 });
    give(100);
    await settle();
    const error = { code: 'database_corrupt', message: 'Damaged.' };
    expect(told).toEqual([{ type: 'error', ref: 'r', error }]);
    expect(sent).toEqual(['a 97', 'a 98', 'a 99', 'a 100']);
    await subscriptions.idle();
    expect([subscriptions.has('broken'), subscriptions.count()]).toEqual([false, 1]);
  });
});
