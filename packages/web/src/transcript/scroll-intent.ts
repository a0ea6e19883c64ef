// Hears when the reader of a transcript begins to go up, before the view has moved.
import { type RefObject, useCallback, useEffect, useRef } from 'react';

/** For so long after a turn of the wheel the view is the reader's: what they asked for comes a moment later. */
const holdMs = 200;
const upKeys = new Set(['ArrowUp', 'PageUp']);

/** Has the reader just begun to go up, by wheel, finger or key? `onEnd` is called when that is over. */
export function useScrollUpIntent(box: RefObject<HTMLElement | null>, onEnd: () => void): () => boolean {
  const until = useRef(0);
  const end = useRef(onEnd);
  end.current = onEnd;
  useEffect(() => {
    let timer: number | undefined;
    const stop = listenForScrollUp(box.current, () => {
      until.current = performance.now() + holdMs;
      clearTimeout(timer);
      timer = window.setTimeout(() => end.current(), holdMs + 1);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [box]);
  return useCallback(() => performance.now() < until.current, []);
}

/** Returns how to stop hearing. */
function listenForScrollUp(element: HTMLElement | null, onUp: () => void): () => void {
  const hearing = new AbortController();
  const how = { passive: true, signal: hearing.signal };
  let touchedAt = Number.POSITIVE_INFINITY;
  element?.addEventListener('wheel', ({ deltaY }) => deltaY < 0 && onUp(), how);
  element?.addEventListener('keydown', ({ key }) => upKeys.has(key) && onUp(), how);
  element?.addEventListener(
    'touchstart',
    ({ touches }) => (touchedAt = touches[0]?.clientY ?? touchedAt),
    how,
  );
  element?.addEventListener(
    'touchmove',
    ({ touches: [touch] }) => {
      if (touch && touch.clientY > touchedAt) onUp();
      touchedAt = touch?.clientY ?? touchedAt;
    },
    how,
  );
  return () => hearing.abort();
}
