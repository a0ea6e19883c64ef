// How far a person has seen each session, in this browser: kept for the sessions that were looked at last. What came to
// pass before any was looked at counts as seen.
import { useSyncExternalStore } from 'react';
import { serverNow } from '../connection/clock.ts';

const storedAs = 'toolyard.seen';
const maxSessions = 500;

export interface Seen {
  seq: number;
  /** The last turn that was seen has failed. */
  hasFailed: boolean;
  at: string;
}

interface Kept {
  since: string;
  sessions: ReadonlyMap<string, Seen>;
}

const listeners = new Set<() => void>();
let kept = read();
// From now on, also for those of which none is ever opened.
if (kept.sessions.size === 0) write();

window.addEventListener('storage', ({ key }) => {
  if (key === storedAs) update(read());
});

export function useSeen(sessionId: string): { seen: Seen | undefined; since: string } {
  const { sessions, since } = useSyncExternalStore(subscribe, () => kept);
  return { seen: sessions.get(sessionId), since };
}

export function keepSeen(sessionId: string, seq: number, hasFailed: boolean): void {
  const before = kept.sessions.get(sessionId);
  if (before && before.seq >= seq && before.hasFailed === hasFailed) return;
  const others = [...kept.sessions].filter(([id]) => id !== sessionId);
  const forgotten = others.slice(0, Math.max(0, others.length + 1 - maxSessions));
  // They are in the order in which they were looked at.
  const since = forgotten.at(-1)?.[1].at ?? kept.since;
  const seen = { seq, hasFailed, at: new Date(serverNow()).toISOString() };
  update({ since, sessions: new Map([...others.slice(forgotten.length), [sessionId, seen]]) });
  write();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function update(next: Kept): void {
  kept = next;
  for (const listener of listeners) listener();
}

/** Storage may be full or forbidden: then it holds as long as the page. */
function write(): void {
  try {
    localStorage.setItem(storedAs, JSON.stringify({ ...kept, sessions: [...kept.sessions] }));
  } catch {}
}

function read(): Kept {
  const nothing: Kept = { since: new Date(serverNow()).toISOString(), sessions: new Map() };
  try {
    const stored: Partial<Record<keyof Kept, unknown>> = JSON.parse(localStorage.getItem(storedAs) ?? '{}');
    const since = typeof stored.since === 'string' ? stored.since : nothing.since;
    const sessions = Array.isArray(stored.sessions) ? stored.sessions.filter(isEntry) : [];
    return { since, sessions: new Map(sessions) };
  } catch {
    return nothing;
  }
}

function isEntry(entry: unknown): entry is [string, Seen] {
  if (!Array.isArray(entry)) return false;
  const [id, seen]: unknown[] = entry;
  return (
    typeof id === 'string' &&
    typeof seen === 'object' &&
    seen !== null &&
    'seq' in seen &&
    typeof seen.seq === 'number' &&
    'at' in seen &&
    typeof seen.at === 'string'
  );
}
