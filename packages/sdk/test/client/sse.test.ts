import { describe, expect, it } from 'vitest';
import { readSse, type SseMessage, toSse } from '../../src/index.ts';

const messages: SseMessage[] = [
  { id: '1', event: 'text_delta', data: '{"text":"héllo 🌍"}' },
  { id: '2', data: '日本語' },
  { id: '3', event: 'x', data: '' },
];

/** Bytes in pieces cut at the given places. */
function toStream(bytes: Uint8Array, cuts: number[]): ReadableStream<Uint8Array> {
  const edges = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
  return new ReadableStream({
    start(controller) {
      for (let at = 1; at < edges.length; at++) controller.enqueue(bytes.slice(edges[at - 1], edges[at]));
      controller.close();
    },
  });
}

describe('readSse', () => {
  const bytes = new TextEncoder().encode(`retry: 1000\n\n: a comment\n\n${messages.map(toSse).join('')}`);

  it('reads the same messages wherever the bytes are cut', async () => {
    for (let cut = 1; cut < bytes.length; cut++) {
      expect(await Array.fromAsync(readSse(toStream(bytes, [cut, cut + 1])))).toEqual(messages);
    }
  });

  it('drops a half message at the end', async () => {
    const half = bytes.slice(0, bytes.length - 1);
    expect(await Array.fromAsync(readSse(toStream(half, [])))).toEqual(messages.slice(0, 2));
  });
});
