// Holds what was seen waiting in its place, oldest first, also once it is answered: until the screen is left.
import { useRef } from 'react';
import type { Asked } from './asked.ts';

export function useHeld(pending: readonly Asked[], recent: readonly Asked[]): Asked[] {
  const seen = useRef(new Map<string, Asked>());
  for (const asked of pending) seen.current.set(asked.id, asked);
  const waiting = new Set(pending.map(({ id }) => id));
  const answered = new Map(recent.filter(({ isPending }) => !isPending).map((asked) => [asked.id, asked]));
  return [...seen.current.values()]
    .map((asked) => (waiting.has(asked.id) ? asked : (answered.get(asked.id) ?? asked)))
    .sort((one, other) => one.at.localeCompare(other.at));
}
