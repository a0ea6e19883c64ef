// Goes from card to card by j and k, and by arrows where they are not needed to read a long one.
import { type RefObject, useEffect } from 'react';
import { showCard } from '../../asking/keep-focus.ts';
import { isTyping } from '../../parts/list-keys.ts';

export function useInboxKeys(inbox: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const step = toStep(event);
      const home = inbox.current;
      if (step === 0 || !home || !isOurs(event, home)) return;
      const cards = [...home.querySelectorAll<HTMLElement>('[data-list-item]')];
      const at = cards.findIndex((card) => card.contains(document.activeElement));
      const next = cards[at < 0 ? 0 : at + step];
      const isArrow = event.key.startsWith('Arrow');
      if (!next || (isArrow && !canSpareArrows(cards[at], home))) return;
      event.preventDefault();
      showCard(next);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [inbox]);
}

function toStep({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): -1 | 0 | 1 {
  if (ctrlKey || metaKey || altKey || shiftKey) return 0;
  if (key === 'j' || key === 'ArrowDown') return 1;
  return key === 'k' || key === 'ArrowUp' ? -1 : 0;
}

/** Nobody writes, chooses or has something else open, and the focus is here or nowhere. */
function isOurs({ target, defaultPrevented }: KeyboardEvent, home: HTMLElement): boolean {
  if (defaultPrevented || isTyping(target) || !(target instanceof Element)) return false;
  if (document.querySelector('[role=dialog],[role=alertdialog],[role=menu],[role=listbox]')) return false;
  return home.contains(target) || target === document.body || target.contains(home);
}

/** Arrows scroll, unless a card that is all in view has the focus itself. */
function canSpareArrows(card: HTMLElement | undefined, home: HTMLElement): boolean {
  return card !== undefined && card === document.activeElement && card.offsetHeight <= home.clientHeight;
}
