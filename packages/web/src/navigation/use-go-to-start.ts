// To the start, ready to write: also when one is there already.
import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';

/** The field of the start screen. */
export const startFieldId = 'start-message';

export function useGoToStart(): () => void {
  const navigate = useNavigate();
  return useCallback(() => {
    void navigate({ to: '/' }).then(() => document.getElementById(startFieldId)?.focus());
  }, [navigate]);
}
