// Where the focus goes when what had it is answered and goes away: not to nowhere, and never to another answer.
import { type RefObject, useEffect, useLayoutEffect } from 'react';

/** Stands on what may take the focus instead. */
export const focusHome = { 'data-focus-home': '' };

export function useFocusHome(card: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = card.current;
    return () => {
      // Still there at this moment.
      if (!element?.contains(document.activeElement)) return;
      element.closest<HTMLElement>('[data-focus-home]')?.focus({ preventScroll: true });
    };
  }, [card]);
}

/** What takes the place of a card takes its focus, too, so that the next one is one step away. */
export function useTakeFocus(place: RefObject<HTMLElement | null>, isAnswered: boolean): void {
  useEffect(() => {
    const isHome = document.activeElement?.matches('[data-focus-home]');
    if (isAnswered && isHome) place.current?.focus({ preventScroll: true });
  }, [place, isAnswered]);
}
