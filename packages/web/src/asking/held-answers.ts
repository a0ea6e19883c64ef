// Answers that were pressed while the server is away: each waits here until the line is open, and can be taken back until
// then. After a reload nothing is sent by itself: it is said that it was not.
import { useSyncExternalStore } from 'react';
import { socket } from '../connection/client.ts';
import { readStored, store } from '../storage/stored.ts';

export interface Held {
  /** As its button says it. */
  label: string;
  /** Absent: of an earlier life of this page, and not sent. */
  takeBack?: () => void;
}

const storedName = 'toolyard.pressed';
const listeners = new Set<() => void>();
const held = new Map<string, Held>(readLost());

function readLost(): [string, Held][] {
  const stored = readStored(storedName);
  const entries: [string, unknown][] = Object.entries(Object(stored));
  return entries.flatMap(([id, label]) => (typeof label === 'string' ? [[id, { label }]] : []));
}

function change(id: string, next: Held | undefined): void {
  if (next) held.set(id, next);
  else held.delete(id);
  const labels = Object.fromEntries([...held].map(([each, { label }]) => [each, label]));
  store(storedName, held.size > 0 ? labels : undefined);
  for (const listener of listeners) listener();
}

/** Resolves once it can go out, at once where the line is open; `false` when it was taken back. */
export function hold(id: string, label: string): Promise<boolean> {
  forgetHeld(id);
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

export function forgetHeld(id: string): void {
  if (held.has(id)) change(id, undefined);
}

export function useHeldAnswer(id: string): Held | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => held.get(id),
  );
}
