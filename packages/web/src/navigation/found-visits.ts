// Counts how often somebody followed a link to what a search has found: the same link again means to be taken there again,
// though the address does not change.
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let visits = 0;

export function visitFound(): void {
  visits += 1;
  for (const listener of listeners) listener();
}

export function useFoundVisits(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => visits,
  );
}
