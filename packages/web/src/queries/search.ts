// What was said in sessions: the server looks for words as they are typed, once the typing pauses.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client } from '../connection/client.ts';
import { keys } from './keys.ts';

const pauseMs = 180;
const minQueryLength = 2;
const maxHits = 20;

export function useSearch(query: string) {
  const words = usePaused(query.trim());
  const search = useQuery({
    queryKey: [...keys.sessions, 'search', words],
    queryFn: () => client.search({ q: words, limit: maxHits }),
    enabled: words.length >= minQueryLength,
    placeholderData: (previous) => (words.length >= minQueryLength ? previous : undefined),
    staleTime: 30_000,
  });
  /** What is there answers other words. */
  const isBehind = words !== query.trim();
  return { ...search, isLooking: isBehind || search.isFetching };
}

function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return text === '' ? '' : paused;
}
