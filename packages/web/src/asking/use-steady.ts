// Guards answers: what has just appeared, or just moved, is not answered by a key or a press meant for something else.
import { useEffect, useLayoutEffect, useState } from 'react';

const steadyAfterMs = 500;
const listeners = new Set<() => void>();

/** Has it stood where it is long enough? */
export function useSteady(): boolean {
  const [isSteady, setIsSteady] = useState(false);
  useEffect(() => {
    let timer: number | undefined;
    const begin = () => {
      setIsSteady(false);
      window.clearTimeout(timer);
      timer = window.setTimeout(() => setIsSteady(true), steadyAfterMs);
    };
    begin();
    listeners.add(begin);
    return () => {
      listeners.delete(begin);
      window.clearTimeout(timer);
    };
  }, []);
  return isSteady;
}

/** For what takes less room than what stood in its place: all that is below it moves. */
export function useMovesOthers(): void {
  useLayoutEffect(() => {
    for (const listener of listeners) listener();
  }, []);
}
