// Guards answers: what has just appeared, or just moved, is not answered by a key or a press meant for something else.
import { useEffect, useLayoutEffect, useState } from 'react';

const stableAfterMs = 500;
const listeners = new Set<() => void>();

/** Has it stood where it is long enough? */
export function useIsStable(): boolean {
  const [isStable, setIsStable] = useState(false);
  useEffect(() => {
    let timer: number | undefined;
    const begin = () => {
      setIsStable(false);
      window.clearTimeout(timer);
      timer = window.setTimeout(() => setIsStable(true), stableAfterMs);
    };
    begin();
    listeners.add(begin);
    return () => {
      listeners.delete(begin);
      window.clearTimeout(timer);
    };
  }, []);
  return isStable;
}

/** For what takes less room than what stood in its place: all that is below it moves. */
export function useLayoutShift(): void {
  useLayoutEffect(() => {
    for (const listener of listeners) listener();
  }, []);
}
