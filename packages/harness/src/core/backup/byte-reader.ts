// Reads an exact number of bytes at a time from a stream of chunks of any size. Holds one chunk.

export interface ByteReader {
  /** Exactly so many bytes, or fewer when the stream ends. */
  read(count: number): Promise<Buffer>;
  /** The same, piece by piece. All of it must be taken before the next read. */
  pieces(count: number): AsyncGenerator<Buffer>;
}

export function createByteReader(stream: AsyncIterable<Buffer>): ByteReader {
  const chunks = stream[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);

  async function* pieces(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      while (held.length === 0) {
        const { value, done } = await chunks.next();
        if (done) return;
        held = value;
      }
      const piece = held.subarray(0, left);
      held = held.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  return {
    pieces,
    async read(count) {
      const parts: Buffer[] = [];
      for await (const piece of pieces(count)) parts.push(piece);
      return Buffer.concat(parts);
    },
  };
}
