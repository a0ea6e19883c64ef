// Reads a kept output piece by piece, so that megabytes come only as far as somebody reads.
import { useEffect, useState } from 'react';
import { client } from '../../server/client.ts';

const pieceBytes = 262_144;

interface Kept {
  text: string;
  readBytes: number;
  totalBytes: number;
  /** Absent when all is read. */
  next: number | undefined;
  isReading: boolean;
  error?: unknown;
}

const nothing: Kept = { text: '', readBytes: 0, totalBytes: 0, next: 0, isReading: false };

/** Reads the first piece at once when there is an id. */
export function useKeptOutput(outputId: string | undefined, sessionId: string) {
  const [kept, setKept] = useState(nothing);
  const isBegun = kept.readBytes > 0 || kept.isReading || kept.error !== undefined;

  async function readMore(): Promise<void> {
    const offset = kept.next;
    if (outputId === undefined || offset === undefined || kept.isReading) return;
    setKept(({ error: _, ...before }) => ({ ...before, isReading: true }));
    try {
      const piece = await client.outputs.read(outputId, { sessionId, offset, length: pieceBytes });
      setKept((before) => ({
        text: before.text + piece.text,
        readBytes: piece.nextOffset ?? piece.totalBytes,
        totalBytes: piece.totalBytes,
        next: piece.nextOffset,
        isReading: false,
      }));
    } catch (error) {
      setKept((before) => ({ ...before, isReading: false, error }));
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is first wanted
  useEffect(() => {
    if (outputId !== undefined && !isBegun) void readMore();
  }, [outputId]);
  return { ...kept, hasMore: kept.next !== undefined, readMore: () => void readMore() };
}
