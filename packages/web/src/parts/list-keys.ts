// Moves the focus through a list by j and k, arrows, Home and End. Give the list `onKeyDown={moveInList}` and each
// thing in it that takes the focus `data-list-item`.
import type { KeyboardEvent } from 'react';

export function moveInList(event: KeyboardEvent<HTMLElement>): void {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-list-item]')];
  const at = items.findIndex((item) => item.contains(document.activeElement));
  const next = toNext(event.key, at, items.length);
  if (next === undefined) return;
  event.preventDefault();
  items[next]?.focus();
  items[next]?.scrollIntoView({ block: 'nearest' });
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
