// What a reload would lose: what is being written away, what the browser has no room for, and forms that were not sent.
// While there is any, the browser asks before it leaves the page.
import { useEffect, useId, useSyncExternalStore } from 'react';

/** `unkept`: it lives as long as the page. */
export type UnsavedState = 'writing' | 'unkept';

const unsavedByName = new Map<string, UnsavedState>();
const listeners = new Set<() => void>();

export function setUnsaved(name: string, risk: UnsavedState | undefined): void {
  if (unsavedByName.get(name) === risk) return;
  if (risk) unsavedByName.set(name, risk);
  else unsavedByName.delete(name);
  // A page that always listened would not be kept for the way back.
  if (unsavedByName.size > 0) window.addEventListener('beforeunload', preventUnload);
  else window.removeEventListener('beforeunload', preventUnload);
  for (const listener of listeners) listener();
}

function preventUnload(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** For a form that goes with its screen. */
export function useUnsaved(isAtRisk: boolean): void {
  const name = useId();
  useEffect(() => {
    setUnsaved(name, isAtRisk ? 'unkept' : undefined);
    return () => setUnsaved(name, undefined);
  }, [name, isAtRisk]);
}

export function useIsUnsaved(name: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => unsavedByName.get(name) === 'unkept',
  );
}
