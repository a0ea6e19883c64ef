// The agent works and nothing else shows it.
import { useEffect, useState } from 'react';
import { Spinner } from '../../parts/spinner.tsx';
import { toDuration } from '../../parts/time-words.ts';
import { serverNow } from '../../server/clock.ts';

export function WorkingRow({ since }: { since: string | undefined }) {
  const elapsedMs = useElapsed(since);
  return (
    <p className="flex items-center gap-2 text-sm text-faint">
      <Spinner className="size-3.5" />
      Working
      {elapsedMs > 3_000 && <span className="tabular-nums">{toDuration(elapsedMs)}</span>}
    </p>
  );
}

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
