// What a session looks like now: its log, reduced as it comes, drawn at most once a frame. Leaving a session keeps what
// was read, so that coming back shows it at once and reads on from there.
import { type Event, emptyView, reduce, type SessionView, ToolyardError } from '@toolyard/sdk';
import { useSyncExternalStore } from 'react';
import { socket } from '../connection/client.ts';

const maxKeptReaders = 20;

export interface SessionReading {
  view: SessionView;
  /** All that was there when it was opened has been read. */
  loaded: boolean;
  error?: ToolyardError;
}

interface Reader {
  subscribe(listener: () => void): () => void;
  snapshot(): SessionReading;
}

const readers = new Map<string, Reader>();

export function useSession(sessionId: string): SessionReading {
  const reader = readers.get(sessionId) ?? keep(sessionId, createReader(sessionId));
  return useSyncExternalStore(reader.subscribe, reader.snapshot);
}

function keep(sessionId: string, reader: Reader): Reader {
  readers.set(sessionId, reader);
  const [oldest] = readers.keys();
  if (readers.size > maxKeptReaders && oldest && oldest !== sessionId) readers.delete(oldest);
  return reader;
}

function createReader(sessionId: string): Reader {
  const listeners = new Set<() => void>();
  let reading: SessionReading = { view: emptyView, loaded: false };
  let pending: Event[] = [];
  let isDrawing = false;
  let stop: AbortController | undefined;

  function publish(next: SessionReading): void {
    reading = next;
    for (const listener of listeners) listener();
  }

  function draw(): void {
    isDrawing = false;
    const events = pending;
    pending = [];
    const { error: _, ...rest } = reading;
    publish({ ...rest, view: events.reduce(reduce, reading.view), loaded: true });
  }

  async function read(signal: AbortSignal): Promise<void> {
    try {
      for await (const event of socket.events(sessionId, { after: reading.view.lastSeq, signal })) {
        pending.push(event);
        if (!isDrawing) schedule(draw);
        isDrawing = true;
      }
    } catch (thrown) {
      if (signal.aborted) return;
      const error =
        thrown instanceof ToolyardError ? thrown : new ToolyardError('internal', 'The events broke off.');
      publish({ ...reading, loaded: true, error });
    }
  }

  return {
    snapshot: () => reading,
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) {
        stop = new AbortController();
        void read(stop.signal);
      }
      return () => {
        listeners.delete(listener);
        // A page that changes leaves and comes back at once.
        setTimeout(() => {
          if (listeners.size === 0) stop?.abort();
        });
      };
    },
  };
}

/** A page that nobody sees draws no frames, but should not fall behind for ever. */
function schedule(draw: () => void): void {
  if (document.hidden) setTimeout(draw, 250);
  else requestAnimationFrame(draw);
}
