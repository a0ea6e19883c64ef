// What a reload would lose: what is being written away, and what the browser has no room for. While there is any, the
// browser asks before it leaves the page.
import { useSyncExternalStore } from 'react';

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

export function useIsUnkept(name: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => risks.get(name) === 'unkept',
  );
}
