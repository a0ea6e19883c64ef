// After a reload: what was about to be deleted is told again, and can still be taken back.
import { useEffect } from 'react';
import { takeEarlierDeletions } from './deletions.ts';
import { useSessionActions } from './use-session-actions.ts';

export function useEarlierDeletions(): void {
  const { hide } = useSessionActions();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page begins
  useEffect(() => {
    void takeEarlierDeletions().then((earlier) => earlier.forEach(hide));
  }, []);
}
