// What readers of one log are given, however large its events are: each once, in pages that are bounded by their size.
import type { Event } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { createFeed, toEventSize } from '../../../src/core/log/feed.ts';
import { png } from '../../support/images.ts';

interface Item {
  place: number;
  size: number;
}

const kilobyte = 1_024;
const megabyte = 1_024 * kilobyte;

/** A log in memory, its feed, and how often the store below was read. */
function openFeed(tail = { tailLength: 4, tailSize: megabyte }) {
  const log: Item[] = [];
  const reads: number[] = [];
  const feed = createFeed<Item>({
    placeOf: ({ place }) => place,
    sizeOf: ({ size }) => size,
    ...tail,
    async readPage(after, limit) {
      reads.push(after);
      return log.slice(after, after + limit);
    },
    onUnused() {},
  });
  const write = (...sizes: number[]) => {
    const items = sizes.map((size, index) => ({ place: log.length + index + 1, size }));
    log.push(...items);
    feed.push(items);
  };
  return { feed, write, reads, log };
}

async function readPages(cursor: { next(): Promise<readonly Item[]> }): Promise<number[][]> {
  const pages: number[][] = [];
  for (let page = await cursor.next(); page.length > 0; page = await cursor.next())
    pages.push(page.map(({ place }) => place));
  return pages;
}

describe('P11: a page', () => {
  it('holds 32 small events, fewer that are large, and one that is very large', async () => {
    const { feed, log } = openFeed();
    const sizes = [...Array(40).fill(kilobyte), 7 * megabyte, 7 * megabyte, ...Array(4).fill(400 * kilobyte)];
    log.push(...sizes.map((size, index) => ({ place: index + 1, size })));
    const pages = await readPages(feed.open(0, () => {}));
    expect(pages.flat()).toEqual(log.map(({ place }) => place));
    expect(pages.map(({ length }) => length)).toEqual([32, 8, 1, 1, 2, 2]);
  });

  it('is full again after the large ones', async () => {
    const { feed, log } = openFeed();
    const sizes = [7 * megabyte, ...Array(200).fill(kilobyte)];
    log.push(...sizes.map((size, index) => ({ place: index + 1, size })));
    const pages = await readPages(feed.open(0, () => {}));
    expect(pages.flat()).toEqual(log.map(({ place }) => place));
    expect(pages.map(({ length }) => length)).toContain(32);
  });
});

describe('P11: what is kept for readers that keep up', () => {
  it('is the newest, and no more than its size allows', async () => {
    const { feed, write, reads } = openFeed();
    feed.open(0, () => {});
    write(...Array(9).fill(kilobyte));
    expect(await readPages(feed.open(5, () => {}))).toEqual([[6, 7, 8, 9]]);
    expect(reads).toEqual([]);
    // More than twice what may be kept: all that is large goes, and the store has it.
    write(7 * megabyte);
    expect(await readPages(feed.open(8, () => {}))).toEqual([[9], [10]]);
    expect(reads[0]).toBe(8);
    write(kilobyte);
    reads.length = 0;
    expect(await readPages(feed.open(10, () => {}))).toEqual([[11]]);
    expect(reads).toEqual([]);
  });

  it('P2: never leaves a hole, whatever the sizes', async () => {
    const { feed, write, log } = openFeed();
    const early = feed.open(0, () => {});
    const seen: number[] = [];
    for (let round = 1; round <= 300; round++) {
      write(
        ...Array.from({ length: (round * 7) % 5 }, (_, index) => ((round * 31 + index) % 9) * 300 * kilobyte),
      );
      if (round % 3 === 0) seen.push(...(await early.next()).map(({ place }) => place));
    }
    seen.push(...(await readPages(early)).flat());
    expect(seen).toEqual(log.map(({ place }) => place));
  });
});

describe('the size of an event', () => {
  const of = (draft: Pick<Event, 'type' | 'data'>) =>
    toEventSize({ sessionId: 's', seq: 1, at: '', ...draft } as Event);

  it('is about the characters in it', () => {
    expect(of({ type: 'text_delta', data: { text: 'x'.repeat(1_000) } })).toBe(1_200);
    const image = png(megabyte);
    const size = of({ type: 'user_message', data: { content: [image], turnId: 't' } });
    expect(size - image.data.length).toBeLessThan(300);
    const raw = of({
      type: 'raw',
      data: { engine: 'a', message: { list: ['x'.repeat(500), 1, null, true] } },
    });
    expect(raw).toBeGreaterThan(700);
  });
});
