// Answers that were pressed while the server is away: each waits here until the line is open, and can be taken back until
// then. After a reload nothing is sent by itself: it is said that it was not.
import { useSyncExternalStore } from 'react';
import { socket } from '../connection/client.ts';
import { readStored, store } from '../storage/tab-storage.ts';

export interface QueuedAnswer {
  /** As its button says it. */
  label: string;
  /** Absent: of an earlier life of this page, and not sent. */
  takeBack?: () => void;
}

const storedName = 'toolyard.pressed';
const listeners = new Set<() => void>();
const queued = new Map<string, QueuedAnswer>(readUnsent());

function readUnsent(): [string, QueuedAnswer][] {
  const stored = readStored(storedName);
  const entries: [string, unknown][] = Object.entries(Object(stored));
  return entries.flatMap(([id, label]) => (typeof label === 'string' ? [[id, { label }]] : []));
}

function change(id: string, next: QueuedAnswer | undefined): void {
  if (next) queued.set(id, next);
  else queued.delete(id);
  const labels = Object.fromEntries([...queued].map(([each, { label }]) => [each, label]));
  store(storedName, queued.size > 0 ? labels : undefined);
  for (const listener of listeners) listener();
}

/** Resolves once it can go out, at once where the line is open; `false` when it was taken back. */
export function queueAnswer(id: string, label: string): Promise<boolean> {
  removeQueuedAnswer(id);
  if (!isAway()) return Promise.resolve(true);
  return new Promise((resolve) => {
    let stop = () => {};
    const end = (goesOut: boolean) => {
      stop();
      change(id, undefined);
      resolve(goesOut);
    };
    change(id, { label, takeBack: () => end(false) });
    stop = socket.onState(() => {
      if (!isAway()) end(true);
    });
  });
}

/** A line that was closed for good refuses by itself, with its reason. */
function isAway(): boolean {
  return socket.state !== 'open' && socket.state !== 'closed';
}

export function removeQueuedAnswer(id: string): void {
  if (queued.has(id)) change(id, undefined);
}

export function useQueuedAnswer(id: string): QueuedAnswer | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => queued.get(id),
  );
}
