// Deleting with a way back: for some seconds a session is only hidden. Then, or when the page is left before that, it is
// deleted: whoever closes the page has not taken it back.
import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { deleteSession, deleteSessionNow } from '../server/session-actions.ts';
import { dropSession } from '../server/sessions.ts';

export const undoWithinMs = 6_000;

const listeners = new Set<() => void>();
let hidden: ReadonlySet<string> = new Set();
const timers = new Map<string, number>();

function change(next: ReadonlySet<string>): void {
  hidden = next;
  for (const listener of listeners) listener();
}

function show(id: string): void {
  change(new Set([...hidden].filter((one) => one !== id)));
}

export interface DeletionHooks {
  /** From now on it cannot be taken back. */
  onFinal(): void;
  /** Why it is still there. */
  onFailed(thrown: unknown): void;
}

export function startDeletion(queries: QueryClient, id: string, { onFinal, onFailed }: DeletionHooks): void {
  change(new Set([...hidden, id]));
  const finish = async () => {
    timers.delete(id);
    onFinal();
    try {
      await deleteSession(id);
      dropSession(queries, id);
    } catch (thrown) {
      onFailed(thrown);
    }
    show(id);
  };
  timers.set(
    id,
    window.setTimeout(() => void finish(), undoWithinMs),
  );
}

export function undoDeletion(id: string): void {
  window.clearTimeout(timers.get(id));
  timers.delete(id);
  show(id);
}

window.addEventListener('pagehide', () => {
  for (const [id, timer] of timers) {
    window.clearTimeout(timer);
    deleteSessionNow(id);
  }
  timers.clear();
});

/** Sessions that are about to go. */
export function useHiddenSessions(): ReadonlySet<string> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => hidden,
  );
}
