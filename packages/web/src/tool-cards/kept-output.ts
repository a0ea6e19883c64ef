// Reads a kept output piece by piece, so that megabytes come only as far as somebody reads; or its end; or all of it into
// a file of theirs.
import { useEffect, useState } from 'react';
import { saveFile } from '../browser-apis/save-file.ts';
import { client } from '../connection/client.ts';

const pieceBytes = 262_144;
const endBytes = 65_536;
/** The most that the server gives at once. */
const maxBytes = 1_048_576;

interface Kept {
  text: string;
  readBytes: number;
  totalBytes: number;
  /** Absent when all is read. */
  next: number | undefined;
  /** The last of it, while that is what somebody looks at. */
  end?: string | undefined;
  isReading: boolean;
  error?: unknown;
}

const nothing: Kept = { text: '', readBytes: 0, totalBytes: 0, next: 0, isReading: false };

/** Reads the first piece at once when there is an id. */
export function useKeptOutput(outputId: string | undefined, sessionId: string) {
  const [kept, setKept] = useState(nothing);
  const isBegun = kept.readBytes > 0 || kept.isReading || kept.error !== undefined;

  async function reading(read: (id: string) => Promise<Partial<Kept>>): Promise<void> {
    if (outputId === undefined || kept.isReading) return;
    setKept(({ error: _, ...before }) => ({ ...before, isReading: true }));
    const found = await read(outputId).catch((error: unknown) => ({ error }));
    setKept((before) => ({ ...before, ...found, isReading: false }));
  }

  const readMore = () =>
    reading(async (id) => {
      const offset = kept.next ?? 0;
      const piece = await client.outputs.read(id, { sessionId, offset, length: pieceBytes });
      return {
        text: kept.text + piece.text,
        readBytes: piece.nextOffset ?? piece.totalBytes,
        totalBytes: piece.totalBytes,
        next: piece.nextOffset,
      };
    });
  const readEnd = () =>
    reading(async (id) => {
      const offset = Math.max(0, kept.totalBytes - endBytes);
      const { text } = await client.outputs.read(id, { sessionId, offset, length: endBytes });
      // It may begin within a character.
      return { end: text.replace(/^\ufffd+/, '') };
    });

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is first wanted
  useEffect(() => {
    if (outputId !== undefined && !isBegun) void readMore();
  }, [outputId]);
  return {
    ...kept,
    hasMore: kept.next !== undefined,
    readMore: () => void readMore(),
    readEnd: () => void readEnd(),
    leaveEnd: () => setKept(({ end: _, ...before }) => before),
  };
}

/** Gives all of it to the browser as a file. */
export async function saveOutput(outputId: string, sessionId: string): Promise<void> {
  const pieces: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const piece = await client.outputs.read(outputId, { sessionId, offset, length: maxBytes });
    pieces.push(piece.text);
    offset = piece.nextOffset;
  }
  saveFile(`${outputId}.txt`, new Blob(pieces, { type: 'text/plain;charset=utf-8' }));
}
