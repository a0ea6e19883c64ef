// A card that a person wants to see and that may not be drawn yet: whoever draws it gives it the focus. Whoever presses
// something else meanwhile has changed their mind.
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let requested: string | undefined;
let stop = new AbortController();

export function requestCard(id: string): void {
  set(id);
  stop = new AbortController();
  const { signal } = stop;
  // After the key that was pressed for it.
  setTimeout(() => {
    for (const event of ['keydown', 'pointerdown'])
      window.addEventListener(event, clearRequestedCard, { signal, capture: true });
  });
}

export function clearRequestedCard(): void {
  set(undefined);
}

export function useRequestedCard(): string | undefined {
  return useSyncExternalStore(subscribe, () => requested);
}

function set(id: string | undefined): void {
  stop.abort();
  requested = id;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
