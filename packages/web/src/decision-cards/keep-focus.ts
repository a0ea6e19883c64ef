// Where the focus goes when what had it is answered and goes away: not to nowhere, and never to another answer.
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/** Stands on what may take the focus instead. */
export const focusHome = { 'data-focus-home': '' };

const cards = '[data-approval],[data-question]';

/** The card around this, if it is in one. */
export function cardAround(element: Element | null): HTMLElement | null {
  return element?.closest<HTMLElement>(cards) ?? null;
}

export function toCardId(card: HTMLElement | null): string | undefined {
  return card?.dataset.approval ?? card?.dataset.question;
}

/** As long as it is drawn. */
export function findCard(id: string): HTMLElement | undefined {
  return [...document.querySelectorAll<HTMLElement>(cards)].find((card) => toCardId(card) === id);
}

/** Whoever answered goes on with the next card; a card that went by itself leaves the focus where it stood. */
export function useFocusHome(card: RefObject<HTMLElement | null>, isAnswered: boolean): void {
  const isMine = useRef(isAnswered);
  isMine.current = isAnswered;
  useLayoutEffect(() => {
    const element = card.current;
    return () => {
      // Still there at this moment.
      if (!element?.contains(document.activeElement)) return;
      const home = element.closest<HTMLElement>('[data-focus-home]');
      const next = isMine.current && home ? findNext(home, element) : undefined;
      if (next) showCard(next);
      else home?.focus({ preventScroll: true });
    };
  }, [card]);
}

/** The one below it, else the first of those above. */
function findNext(home: HTMLElement, element: HTMLElement): HTMLElement | undefined {
  const others = [...home.querySelectorAll<HTMLElement>(cards)].filter((each) => each !== element);
  const isBelow = (other: HTMLElement) =>
    (element.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return others.find(isBelow) ?? others[0];
}

/** The card itself takes the focus, none of its answers; one that is too high for the view is shown from its top. */
export function showCard(card: HTMLElement): void {
  card.focus({ preventScroll: true });
  const room = card.closest('[data-focus-home]')?.clientHeight ?? window.innerHeight;
  card.scrollIntoView({ block: card.offsetHeight > room ? 'start' : 'nearest' });
}

/** What takes the place of a card takes its focus, too, so that the next one is one step away. */
export function useTakeFocus(place: RefObject<HTMLElement | null>, isAnswered: boolean): void {
  useEffect(() => {
    const isHome = document.activeElement?.matches('[data-focus-home]');
    if (isAnswered && isHome) place.current?.focus({ preventScroll: true });
  }, [place, isAnswered]);
}
