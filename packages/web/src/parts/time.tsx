// A moment, said as people say it, with the exact time on hover. All of them tick together, by the server's clock.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { serverNow } from '../connection/clock.ts';
import { toExactTime, toRelativeTime } from './format-time.ts';

const tickMs = 20_000;
const listeners = new Set<() => void>();
let now = serverNow();
let timer: number | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  now = serverNow();
  timer ??= window.setInterval(() => {
    now = serverNow();
    for (const one of listeners) one();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

export function Time({ at, className }: { at: string; className?: string | undefined }) {
  const text = toRelativeTime(at, useNow());
  return (
    <time dateTime={at} title={toExactTime(at)} className={className}>
      {text}
    </time>
  );
}

/** Milliseconds since a moment, in whole seconds, ticking; 0 when that moment is not known or the clocks disagree. */
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
