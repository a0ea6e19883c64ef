// Where a card that has just been asked is met: at its top, where it says what it is, and not at its answers.
import { type RefObject, useEffect } from 'react';

/** Those that were met once are left where they are: whoever scrolls past them again means it. */
const shownCards = new Set<string>();
/** Heights are measured, and the view is moved to its end, in the first drawings; a slow machine has few of them. */
const minFrames = 12;
const minWaitMs = 1_500;
const settleMs = 600;
/** A card whose top nobody has seen is waited for: the view may come to it late. */
const maxWaitMs = 10_000;
const roomAbove = 12;
const nearEnd = 60;
/** Places are read in parts of pixels, and a view moves by whole ones. */
const minOffset = 1;

/** Told to the view when a card is put at its top: the reader is no longer at its end. */
export const scrolledToCard = 'toolyard:landed';

export function useScrollToCard(card: RefObject<HTMLElement | null>, id: string): void {
  useEffect(() => {
    if (shownCards.has(id)) return;
    const stop = new AbortController();
    // A card may be drawn anew in its first moments: then it is not met yet.
    const stopTracking = () => {
      shownCards.add(id);
      stop.abort();
    };
    const latest = performance.now() + maxWaitMs;
    let until = performance.now() + minWaitMs;
    let left = minFrames;
    let isThere = false;
    const onFrame = () => {
      left--;
      const box = card.current?.closest<HTMLElement>('[data-focus-home]');
      const isSeen = box && card.current && isTopSeen(box, card.current);
      if (left < 0 && performance.now() > (isSeen ? until : latest)) stopTracking();
      if (stop.signal.aborted) return;
      // Once there, only what is still being measured may move it, and that for a moment more.
      if (box && card.current && scrollToTop(box, card.current, isThere)) {
        until = performance.now() + settleMs;
        isThere = true;
        box.dispatchEvent(new Event(scrolledToCard));
      }
      requestAnimationFrame(onFrame);
    };
    requestAnimationFrame(onFrame);
    // From here on the reader decides where they are.
    for (const event of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
      window.addEventListener(event, stopTracking, { signal: stop.signal, passive: true });
    return () => stop.abort();
  }, [card, id]);
}

function isTopSeen(box: HTMLElement, card: HTMLElement): boolean {
  const { top, bottom } = box.getBoundingClientRect();
  const at = card.getBoundingClientRect().top;
  return at >= top && at < bottom;
}

/** Whether it had to be moved. For a reader at the end only, and for the first of several that are asked at once. */
function scrollToTop(box: HTMLElement, card: HTMLElement, wasThere: boolean): boolean {
  const isAtEnd = wasThere || box.scrollHeight - box.scrollTop - box.clientHeight <= nearEnd;
  if (!isAtEnd || box.querySelector('[data-approval]') !== card) return false;
  const hidden = box.getBoundingClientRect().top + roomAbove - card.getBoundingClientRect().top;
  if (hidden >= minOffset) box.scrollTop -= hidden;
  return hidden >= minOffset;
}
