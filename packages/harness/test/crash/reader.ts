// A reader with a bad line: it is cut at random bytes and goes on from the last event it saw whole, across restarts.
import { readSse } from '@toolyard/sdk';
import type { Memory, Sighting } from './history.ts';
import type { Random } from './random.ts';
import type { Ready } from './server-process.ts';

export interface Reader {
  readonly sessionId: string;
  readonly seen: Sighting[];
  /** Reads and is cut, again and again, until `signal` aborts, the server goes away or event `last` is seen. */
  read(server: Ready, options: { signal: AbortSignal; last?: number }): Promise<void>;
}

export function createReader(sessionId: string, random: Random, memory: Memory): Reader {
  const seen: Sighting[] = [];
  memory.readers.push(seen);

  async function readLine(server: Ready, bytes: number, signal: AbortSignal, last: number): Promise<boolean> {
    const cut = new AbortController();
    const response = await openEvents(
      server,
      sessionId,
      seen.at(-1)?.seq,
      AbortSignal.any([signal, cut.signal]),
    );
    try {
      if (!response.ok || !response.body) {
        memory.surprises.push(`a reader of ${sessionId} was refused: ${await response.text()}`);
        return false;
      }
      for await (const { id, event, data } of readSse(response.body.pipeThrough(cutAfter(bytes)))) {
        if (id === undefined) {
          memory.surprises.push(`a reader of ${sessionId} got ${event}: ${data}`);
          return false;
        }
        seen.push({ sessionId, seq: Number(id), data });
        if (Number(id) >= last) return false;
      }
      return true;
    } finally {
      cut.abort();
    }
  }

  return {
    sessionId,
    seen,
    async read(server, { signal, last = Number.POSITIVE_INFINITY }) {
      if ((seen.at(-1)?.seq ?? 0) >= last) return;
      while (!signal.aborted) {
        const bytes = random.chance(0.3) ? random.between(1, 400) : random.between(400, 20_000);
        const goesOn = await readLine(server, bytes, signal, last).catch(() => false);
        if (!goesOn) return;
      }
    },
  };
}

/** The whole log of a session up to `last`, over an unbroken line. Throws what the server says is wrong with it. */
export async function readLog(
  server: Ready,
  sessionId: string,
  last: number,
  signal: AbortSignal,
): Promise<Sighting[]> {
  const read: Sighting[] = [];
  if (last === 0) return read;
  const done = new AbortController();
  const response = await openEvents(server, sessionId, undefined, AbortSignal.any([signal, done.signal]));
  if (!response.ok || !response.body) throw new Error(await response.text());
  for await (const { id, data } of readSse(response.body)) {
    if (id === undefined) throw new Error(data);
    read.push({ sessionId, seq: Number(id), data });
    if (Number(id) >= last) break;
  }
  done.abort();
  return read;
}

function openEvents(
  { url, token }: Ready,
  sessionId: string,
  lastEventId: number | undefined,
  signal: AbortSignal,
): Promise<Response> {
  return fetch(new URL(`/api/sessions/${sessionId}/events`, url), {
    headers: {
      authorization: `Bearer ${token}`,
      ...(lastEventId !== undefined && { 'last-event-id': String(lastEventId) }),
    },
    signal,
  });
}

/** Lets so many bytes through and ends there, in the middle of whatever it was. */
function cutAfter(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let left = bytes;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.byteLength;
      if (left <= 0) controller.terminate();
    },
  });
}
