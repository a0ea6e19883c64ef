// Stops the turn under way, by button or by Escape anywhere on the screen where Escape means nothing else.
import { useCallback, useEffect, useState } from 'react';
import { socket } from '../connection/client.ts';
import { toProblem } from '../connection/problems.ts';
import { useToast } from '../controls/toast.tsx';

export function useStop(sessionId: string, isBusy: boolean) {
  const toast = useToast();
  const [isStopping, setIsStopping] = useState(false);
  const stop = useCallback(() => {
    setIsStopping(true);
    socket
      .interrupt(sessionId)
      .catch((thrown: unknown) =>
        toast({ tone: 'bad', title: 'The turn could not be stopped', note: toProblem(thrown).message }),
      )
      .finally(() => setIsStopping(false));
  }, [sessionId, toast]);

  useEffect(() => {
    if (!isBusy) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || isTaken(event)) return;
      stop();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [isBusy, stop]);
  return { stop, isStopping };
}

/** It was meant for something else: for what floats, or for a field beside the conversation. */
function isTaken({ target }: KeyboardEvent): boolean {
  const isHere = target === document.body || (target instanceof Element && target.closest('main') !== null);
  if (!isHere) return true;
  const floats = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]';
  return (
    (target instanceof Element && target.closest(floats) !== null) || document.querySelector(floats) !== null
  );
}
