// Slots by themselves: whatever waits, ends or is stopped in whichever order, none is lost and none is kept by who waits.
import { describe, expect, it } from 'vitest';
import { createSlots, type Slots } from '../../../src/core/agents/slots.ts';

const never = new AbortController().signal;

/** Lets everything go on that can. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Work that goes on until it is told to end. */
function createWait() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

/** One slot: the first session waits for something, and the second one has taken its slot. */
async function openShared() {
  const slots = createSlots({ concurrency: () => 1 });
  await slots.acquire('one', 'run', never);
  const wait = createWait();
  const back = slots.runWithoutSlot('one', wait.work);
  await slots.acquire('two', 'run', never);
  return { slots, wait, back };
}

async function canEnter(slots: Slots, sessionId: string): Promise<boolean> {
  const stop = new AbortController();
  const entered = slots.acquire(sessionId, 'other', stop.signal);
  await settle();
  stop.abort();
  return entered;
}

describe('a session that wants its slot back', () => {
  it('goes on only when it has it', async () => {
    const { slots, wait, back } = await openShared();
    wait.end();
    let isBack = false;
    void back.then(() => {
      isBack = true;
    });
    await settle();
    expect([isBack, slots.counts()]).toEqual([false, { taken: 1, starting: 0, returning: 1 }]);
    slots.release('two');
    await back;
    expect(slots.counts()).toEqual({ taken: 1, starting: 0, returning: 0 });
  });

  it('does not keep it when another of its calls has begun to wait meanwhile', async () => {
    const { slots, wait, back } = await openShared();
    wait.end();
    await settle();
    const second = createWait();
    const secondBack = slots.runWithoutSlot('one', second.work);
    slots.release('two');
    await back;
    expect(await canEnter(slots, 'three')).toBe(true);
    slots.release('three');
    second.end();
    await secondBack;
    expect(slots.counts().taken).toBe(1);
  });

  it('takes one, however many of its calls come back', async () => {
    const { slots, wait, back } = await openShared();
    wait.end();
    await settle();
    const second = createWait();
    const secondBack = slots.runWithoutSlot('one', second.work);
    second.end();
    await settle();
    slots.release('two');
    await Promise.all([back, secondBack]);
    expect(slots.counts()).toEqual({ taken: 1, starting: 0, returning: 0 });
    slots.release('one');
    expect(slots.counts().taken).toBe(0);
  });

  it('takes none when its turn has ended before', async () => {
    const { slots, wait, back } = await openShared();
    wait.end();
    await settle();
    slots.release('one');
    slots.release('two');
    await back;
    expect(slots.counts()).toEqual({ taken: 0, starting: 0, returning: 0 });
    expect(await canEnter(slots, 'three')).toBe(true);
  });
});

describe('a session that is stopped', () => {
  it('leaves the line, before it has begun and when it wants to go on', async () => {
    const slots = createSlots({ concurrency: () => 1 });
    const stop = new AbortController();
    await slots.acquire('one', 'run', stop.signal);
    const wait = createWait();
    const back = slots.runWithoutSlot('one', wait.work);
    await slots.acquire('two', 'run', never);
    wait.end();
    expect(await canEnter(slots, 'three')).toBe(false);
    stop.abort();
    await back;
    expect(slots.counts()).toEqual({ taken: 1, starting: 0, returning: 0 });
  });
});

it('who has begun goes on before another begins, and runs take turns', async () => {
  const { slots, wait, back } = await openShared();
  const order: string[] = [];
  const queued = ['a1', 'a2', 'b1'].map(async (name) => {
    await slots.acquire(name, name.slice(0, 1), never);
    order.push(name);
    slots.release(name);
  });
  wait.end();
  await settle();
  void back.then(() => {
    order.push('one');
    slots.release('one');
  });
  slots.release('two');
  await Promise.all(queued);
  expect(order).toEqual(['one', 'a1', 'b1', 'a2']);
});
