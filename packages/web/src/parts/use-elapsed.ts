// How long something has been going on, by the server's clock.
import { useEffect, useState } from 'react';
import { serverNow } from '../connection/clock.ts';

/** Whole seconds since a moment, ticking; 0 when that moment is not known or the clocks disagree. */
export function useElapsed(since: string | undefined): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    if (!since) return;
    const timer = setInterval(() => setNow(serverNow()), 1_000);
    return () => clearInterval(timer);
  }, [since]);
  const elapsed = since ? now - Date.parse(since) : 0;
  return elapsed > 0 && elapsed < 86_400_000 ? Math.floor(elapsed / 1_000) * 1_000 : 0;
}
