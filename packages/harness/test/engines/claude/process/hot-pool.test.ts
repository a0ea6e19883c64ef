import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createHotPool, type HotOptions } from '../../../../src/engines/claude/process/hot-pool.ts';

const plenty = () => Number.POSITIVE_INFINITY;
const megabytes = 1024 * 1024;

/** A pool whose owners are words; `evicted` has them in the order in which they lost their process. */
function openPool(options: Partial<HotOptions> = {}) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const pool = createHotPool({ idleMs: 1_000, maxHot: 3, freeMemory: plenty, ...options });
  const evicted: string[] = [];
  const owners = new Map<string, object>();
  const owner = (name: string) => owners.get(name) ?? owners.set(name, {}).get(name) ?? {};
  return {
    pool,
    evicted,
    busy: (name: string) => pool.busy(owner(name)),
    idle: (name: string) => pool.idle(owner(name), () => evicted.push(name)),
    gone: (name: string) => pool.remove(owner(name)),
  };
}

describe('the pool of hot processes', () => {
  test('ends one that was idle for its time, once, and not one that worked meanwhile', () => {
    const { pool, busy, idle, evicted } = openPool();
    for (const name of ['quiet', 'working', 'used again']) {
      busy(name);
      idle(name);
    }
    vi.advanceTimersByTime(600);
    busy('working');
    busy('used again');
    idle('used again');
    vi.advanceTimersByTime(600);
    expect(evicted).toEqual(['quiet']);
    vi.advanceTimersByTime(600);
    expect([evicted, pool.counts()]).toEqual([['quiet', 'used again'], { busy: 1, idle: 0 }]);
    vi.advanceTimersByTime(100_000);
    expect([evicted.length, vi.getTimerCount()]).toEqual([2, 0]);
  });

  test('ends the least recently used one when there are too many', () => {
    const { pool, busy, idle, evicted } = openPool({ maxHot: 2 });
    for (const name of ['a', 'b', 'a', 'c']) {
      busy(name);
      idle(name);
    }
    expect([evicted, pool.counts()]).toEqual([['b'], { busy: 0, idle: 2 }]);
  });

  test('ends as many as it takes, and never one that works', () => {
    const { pool, busy, idle, evicted } = openPool({ maxHot: 2 });
    idle('a');
    idle('b');
    for (const name of ['one', 'two', 'three']) busy(name);
    expect([evicted, pool.counts()]).toEqual([['a', 'b'], { busy: 3, idle: 0 }]);
    idle('one');
    expect([evicted, pool.counts()]).toEqual([['a', 'b', 'one'], { busy: 2, idle: 0 }]);
  });

  test('counts one that comes back as the one it was', () => {
    const { pool, busy, idle, evicted } = openPool({ maxHot: 1 });
    for (let turn = 0; turn < 3; turn++) {
      busy('a');
      idle('a');
      idle('a');
    }
    expect([evicted, pool.counts(), vi.getTimerCount()]).toEqual([[], { busy: 0, idle: 1 }, 1]);
  });

  test('forgets one that is gone, with its time', () => {
    const { pool, busy, idle, gone, evicted } = openPool({ maxHot: 1 });
    idle('a');
    gone('a');
    busy('b');
    gone('b');
    idle('c');
    gone('never there');
    expect([evicted, pool.counts(), vi.getTimerCount()]).toEqual([[], { busy: 0, idle: 1 }, 1]);
  });

  test('ends one idle process at each chance while memory is short, the oldest first', () => {
    let free = 400 * megabytes;
    const { pool, busy, idle, evicted } = openPool({ maxHot: 10, freeMemory: () => free });
    free = 4_000 * megabytes;
    for (const name of ['a', 'b', 'c']) idle(name);
    expect(evicted).toEqual([]);
    free = 400 * megabytes;
    busy('d');
    expect([evicted, pool.counts()]).toEqual([['a'], { busy: 1, idle: 2 }]);
    idle('d');
    free = 4_000 * megabytes;
    busy('d');
    expect([evicted, pool.counts()]).toEqual([['a', 'b'], { busy: 1, idle: 1 }]);
  });

  test('bears an owner that ends its process in another way while it is told to', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const pool = createHotPool({ idleMs: 1_000, maxHot: 1, freeMemory: plenty });
    const [first, second] = [{}, {}];
    pool.idle(first, () => pool.remove(first));
    pool.idle(second, () => pool.remove(second));
    expect(pool.counts()).toEqual({ busy: 0, idle: 1 });
    vi.advanceTimersByTime(2_000);
    expect(pool.counts()).toEqual({ busy: 0, idle: 0 });
  });
});
