// Pages of the list of sessions, newest first, and where a session belongs in them. Pure.
import type { Session } from '@toolyard/sdk';

export interface SessionPage {
  items: Session[];
  next?: string | undefined;
}

/** Ids sort by time; a page that ends before it, and has more after it, will bring it when it is read. */
export function insert(pages: SessionPage[], session: Session): SessionPage[] {
  const found = pages.findIndex((page) => page.items.some(({ id }) => id === session.id));
  if (found >= 0) {
    const replace = (one: Session) => (one.id === session.id ? session : one);
    return pages.map((page, index) => (index === found ? { ...page, items: page.items.map(replace) } : page));
  }
  const place = pages.findIndex(({ items, next }) => !next || (items.at(-1)?.id ?? '') < session.id);
  if (place < 0) return pages;
  return pages.map((page, index) => {
    if (index !== place) return page;
    const items = [...page.items, session].sort((one, other) => (one.id < other.id ? 1 : -1));
    return { ...page, items };
  });
}
