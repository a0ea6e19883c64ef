// Holds what was seen waiting in its place, oldest first, also once it is answered or gone: until the screen is left.
import { useRef, useState } from 'react';
import { type Asked, compareAsked } from '../../decision-cards/asked.ts';

export interface InboxItem extends Asked {
  /** It waits no more, and no list says what became of it. */
  isMissing: boolean;
}

export function useInboxItems(pending: readonly Asked[], recent: readonly Asked[]) {
  const [released, setReleased] = useState<ReadonlySet<string>>(new Set());
  const seen = useRef(new Map<string, Asked>());
  for (const asked of pending) seen.current.set(asked.id, asked);
  const waiting = new Set(pending.map(({ id }) => id));
  const answered = new Map(recent.filter(({ isPending }) => !isPending).map((asked) => [asked.id, asked]));
  const held = [...seen.current.values()]
    .filter(({ id }) => !released.has(id))
    .map((asked): InboxItem => {
      const end = waiting.has(asked.id) ? undefined : answered.get(asked.id);
      return { ...(end ?? asked), isMissing: !waiting.has(asked.id) && !end };
    })
    .sort(compareAsked);
  return { held, release: (id: string) => setReleased((before) => new Set([...before, id])) };
}
