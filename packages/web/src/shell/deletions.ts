// Deleting with a way back: for some seconds a session is only hidden. Then it is deleted. What waits is kept in this tab
// over a reload, which begins the seconds anew; whoever closes the tab before they have passed keeps the session. Only the
// tab that asked deletes: one that was made as its copy forgets what it found.
import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { deleteSession } from '../server/session-actions.ts';
import { dropSession } from '../server/sessions.ts';
import { readStored, store } from '../server/stored.ts';
import { isOfThisTab, lifeOfTab } from './tab-life.ts';

export const undoWithinMs = 6_000;

/** What is said of a deletion while it can be taken back. */
export interface Deletion {
  id: string;
  title: string;
  /** It was on the page: taking it back shows it again. */
  wasOpen: boolean;
  /** It was working, or waiting for an answer. */
  wasBusy: boolean;
}

/** With which life of which tab asked for it. */
type Kept = Deletion & { life: string };

const storedName = 'toolyard.deletions';
const listeners = new Set<() => void>();
const waiting = new Map<string, Kept>(readWaiting().map((deletion) => [deletion.id, deletion]));
const timers = new Map<string, number>();
let hidden: ReadonlySet<string> = new Set(waiting.keys());

function readWaiting(): Kept[] {
  const stored = readStored(storedName);
  return Array.isArray(stored) ? stored.filter(isDeletion) : [];
}

function isDeletion(value: unknown): value is Kept {
  const { id, life } = Object(value);
  return typeof id === 'string' && typeof life === 'string';
}

function change(id: string, deletion: Deletion | undefined): void {
  if (deletion) waiting.set(id, { ...deletion, life: lifeOfTab });
  else waiting.delete(id);
  store(storedName, waiting.size > 0 ? [...waiting.values()] : undefined);
}

function setHidden(next: ReadonlySet<string>): void {
  hidden = next;
  for (const listener of listeners) listener();
}

function show(id: string): void {
  setHidden(new Set([...hidden].filter((one) => one !== id)));
}

export interface DeletionHooks {
  /** From now on it cannot be taken back. */
  onFinal(): void;
  /** Why it is still there. */
  onFailed(thrown: unknown): void;
}

export function startDeletion(queries: QueryClient, deletion: Deletion, hooks: DeletionHooks): void {
  const { id } = deletion;
  change(id, deletion);
  setHidden(new Set([...hidden, id]));
  const finish = async () => {
    timers.delete(id);
    change(id, undefined);
    hooks.onFinal();
    try {
      await deleteSession(id);
      dropSession(queries, id);
    } catch (thrown) {
      hooks.onFailed(thrown);
    }
    show(id);
  };
  window.clearTimeout(timers.get(id));
  timers.set(
    id,
    window.setTimeout(() => void finish(), undoWithinMs),
  );
}

export function undoDeletion(id: string): void {
  window.clearTimeout(timers.get(id));
  timers.delete(id);
  change(id, undefined);
  show(id);
}

/** What an earlier life of this tab was about to delete: each is told once. What another tab asked for is left to it. */
export async function takeEarlierDeletions(): Promise<Deletion[]> {
  const earlier = [...waiting.values()].filter(({ id }) => !timers.has(id));
  const ours = await Promise.all(earlier.map(({ life }) => isOfThisTab(life)));
  for (const [at, { id }] of earlier.entries()) if (!ours[at]) undoDeletion(id);
  return earlier.filter((_, at) => ours[at]);
}

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
