// What a reload would lose: what is being written away, what the browser has no room for, and forms that were not sent.
// While there is any, the browser asks before it leaves the page.
import { useEffect, useId, useSyncExternalStore } from 'react';

/** `unkept`: it lives as long as the page. */
export type Risk = 'writing' | 'unkept';

const risks = new Map<string, Risk>();
const listeners = new Set<() => void>();

export function setRisk(name: string, risk: Risk | undefined): void {
  if (risks.get(name) === risk) return;
  if (risk) risks.set(name, risk);
  else risks.delete(name);
  // A page that always listened would not be kept for the way back.
  if (risks.size > 0) window.addEventListener('beforeunload', ask);
  else window.removeEventListener('beforeunload', ask);
  for (const listener of listeners) listener();
}

function ask(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** For a form that goes with its screen. */
export function useAtRisk(isAtRisk: boolean): void {
  const name = useId();
  useEffect(() => {
    setRisk(name, isAtRisk ? 'unkept' : undefined);
    return () => setRisk(name, undefined);
  }, [name, isAtRisk]);
}

export function useIsUnkept(name: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => risks.get(name) === 'unkept',
  );
}
