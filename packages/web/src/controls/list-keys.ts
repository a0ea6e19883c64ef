// Moves the focus through a list by j and k, arrows, Home and End. Give the list `onKeyDown={moveInList}` and each
// thing in it that takes the focus `data-list-item`. `useListKeys` has j and k lead into a screen's list from anywhere.
import { type KeyboardEvent, type RefObject, useEffect } from 'react';

export function moveInList(event: KeyboardEvent<HTMLElement>): void {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-list-item]')];
  const at = items.findIndex((item) => item.contains(document.activeElement));
  const next = toNext(event.key, at, items.length);
  if (next === undefined) return;
  event.preventDefault();
  showItem(items[next]);
}

function showItem(item: HTMLElement | undefined): void {
  item?.focus();
  item?.scrollIntoView({ block: 'nearest' });
}

/** For the one list of a screen. Arrows only where they are not needed to read something long. */
export function useListKeys(
  list: RefObject<HTMLElement | null>,
  show: (item: HTMLElement) => void = showItem,
): void {
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      const step = toStep(event);
      const home = list.current;
      if (step === 0 || !home || !isOurs(event, home)) return;
      const items = [...home.querySelectorAll<HTMLElement>('[data-list-item]')];
      const at = items.findIndex((item) => item.contains(document.activeElement));
      const next = items[at < 0 ? 0 : at + step];
      const isArrow = event.key.startsWith('Arrow');
      if (!next || (isArrow && !canSpareArrows(items[at], home))) return;
      event.preventDefault();
      show(next);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [list, show]);
}

function toStep({ key, ctrlKey, metaKey, altKey, shiftKey }: globalThis.KeyboardEvent): -1 | 0 | 1 {
  if (ctrlKey || metaKey || altKey || shiftKey) return 0;
  if (key === 'j' || key === 'ArrowDown') return 1;
  return key === 'k' || key === 'ArrowUp' ? -1 : 0;
}

/** Nobody writes, chooses or has something else open, and the focus is here or nowhere. */
function isOurs({ target, defaultPrevented }: globalThis.KeyboardEvent, home: HTMLElement): boolean {
  if (defaultPrevented || isTyping(target) || !(target instanceof Element)) return false;
  if (document.querySelector('[role=dialog],[role=alertdialog],[role=menu],[role=listbox]')) return false;
  return home.contains(target) || target === document.body || target.contains(home);
}

/** Arrows scroll, unless an item that is all in view has the focus itself. */
function canSpareArrows(item: HTMLElement | undefined, home: HTMLElement): boolean {
  return item !== undefined && item === document.activeElement && item.offsetHeight <= home.clientHeight;
}

function toNext(key: string, at: number, count: number): number | undefined {
  if (key === 'j' || key === 'ArrowDown') return Math.min(at + 1, count - 1);
  if (key === 'k' || key === 'ArrowUp') return Math.max(at - 1, 0);
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

/** Keys that belong to what is being written. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  );
}
