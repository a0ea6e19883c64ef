// Deleting with a way back: for some seconds a session is only hidden. Then it is deleted. Whatever waits does so together:
// each further one, or a reload, begins the seconds anew for all; whoever closes the tab before they have passed keeps
// the sessions. Only the tab that asked deletes: one that was made as its copy forgets what it found.
import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { isEarlierInstance, tabInstanceId } from '../browser-apis/tab-instance.ts';
import { deleteSession } from '../queries/session-actions.ts';
import { dropSession } from '../queries/sessions.ts';
import { readStored, store } from '../storage/tab-storage.ts';

export const undoTimeoutMs = 6_000;

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
let timer = 0;
let dismissNotice = () => {};
let hidden: ReadonlySet<string> = new Set(waiting.keys());

function readWaiting(): Kept[] {
  const stored = readStored(storedName);
  return Array.isArray(stored) ? stored.filter(isDeletion) : [];
}

function isDeletion(value: unknown): value is Kept {
  const { id, life } = Object(value);
  return typeof id === 'string' && typeof life === 'string';
}

/** What this life of the tab was asked for. */
function readOurs(): Kept[] {
  return [...waiting.values()].filter(({ life }) => life === tabInstanceId);
}

function change(id: string, deletion: Deletion | undefined): void {
  if (deletion) waiting.set(id, { ...deletion, life: tabInstanceId });
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
  /** Says what is about to go, with the way back; returns what takes these words away again. */
  tell(all: readonly Deletion[]): () => void;
  /** Why some are still there, and how many. */
  onFailed(thrown: unknown, count: number): void;
}

export function startDeletion(queries: QueryClient, deletion: Deletion, hooks: DeletionHooks): void {
  change(deletion.id, deletion);
  setHidden(new Set([...hidden, deletion.id]));
  dismissNotice();
  dismissNotice = hooks.tell(readOurs());
  window.clearTimeout(timer);
  timer = window.setTimeout(() => void finish(queries, hooks), undoTimeoutMs);
}

async function finish(queries: QueryClient, { onFailed }: DeletionHooks): Promise<void> {
  const all = readOurs();
  dismissNotice();
  for (const { id } of all) change(id, undefined);
  const failures = await Promise.all(
    all.map(async ({ id }) => {
      try {
        await deleteSession(id);
        dropSession(queries, id);
        return [];
      } catch (thrown) {
        return [thrown];
      } finally {
        show(id);
      }
    }),
  );
  const thrown = failures.flat();
  if (thrown.length > 0) onFailed(thrown[0], thrown.length);
}

/** Returns what is there again. */
export function undoDeletions(): Deletion[] {
  const all = readOurs();
  window.clearTimeout(timer);
  dismissNotice();
  for (const { id } of all) forget(id);
  return all;
}

function forget(id: string): void {
  change(id, undefined);
  show(id);
}

/** What an earlier life of this tab was about to delete: each is told once. What another tab asked for is left to it. */
export async function takeEarlierDeletions(): Promise<Deletion[]> {
  const earlier = [...waiting.values()].filter(({ life }) => life !== tabInstanceId);
  const ours = await Promise.all(earlier.map(({ life }) => isEarlierInstance(life)));
  for (const [at, { id }] of earlier.entries()) if (!ours[at]) forget(id);
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
