// Where a card that has just been asked is met: at its top, where it says what it is, and not at its answers.
import { type RefObject, useEffect } from 'react';

/** Those that were met once are left where they are: whoever scrolls past them again means it. */
const met = new Set<string>();
/** Heights are measured, and the view is moved to its end, in the first drawings; a slow machine has few of them. */
const drawings = 12;
const withinMs = 1_500;
const settleMs = 600;
/** A card whose top nobody has seen is waited for: the view may come to it late. */
const atMostMs = 10_000;
const roomAbove = 12;
const nearEnd = 60;
/** Places are read in parts of pixels, and a view moves by whole ones. */
const nothing = 1;

/** Told to the view when a card is put at its top: the reader is no longer at its end. */
export const landed = 'toolyard:landed';

export function useLanding(card: RefObject<HTMLElement | null>, id: string): void {
  useEffect(() => {
    if (met.has(id)) return;
    const stop = new AbortController();
    // A card may be drawn anew in its first moments: then it is not met yet.
    const meet = () => {
      met.add(id);
      stop.abort();
    };
    const latest = performance.now() + atMostMs;
    let until = performance.now() + withinMs;
    let left = drawings;
    let isThere = false;
    const land = () => {
      left--;
      const box = card.current?.closest<HTMLElement>('[data-focus-home]');
      const isSeen = box && card.current && isTopSeen(box, card.current);
      if (left < 0 && performance.now() > (isSeen ? until : latest)) meet();
      if (stop.signal.aborted) return;
      // Once there, only what is still being measured may move it, and that for a moment more.
      if (box && card.current && toTop(box, card.current, isThere)) {
        until = performance.now() + settleMs;
        isThere = true;
        box.dispatchEvent(new Event(landed));
      }
      requestAnimationFrame(land);
    };
    requestAnimationFrame(land);
    // From here on the reader decides where they are.
    for (const event of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
      window.addEventListener(event, meet, { signal: stop.signal, passive: true });
    return () => stop.abort();
  }, [card, id]);
}

function isTopSeen(box: HTMLElement, card: HTMLElement): boolean {
  const { top, bottom } = box.getBoundingClientRect();
  const at = card.getBoundingClientRect().top;
  return at >= top && at < bottom;
}

/** Whether it had to be moved. For a reader at the end only, and for the first of several that are asked at once. */
function toTop(box: HTMLElement, card: HTMLElement, wasThere: boolean): boolean {
  const isAtEnd = wasThere || box.scrollHeight - box.scrollTop - box.clientHeight <= nearEnd;
  if (!isAtEnd || box.querySelector('[data-approval]') !== card) return false;
  const hidden = box.getBoundingClientRect().top + roomAbove - card.getBoundingClientRect().top;
  if (hidden >= nothing) box.scrollTop -= hidden;
  return hidden >= nothing;
}
