// Is a card so high that its beginning may be out of view where its answers are?
import { type RefObject, useLayoutEffect, useState } from 'react';

const longFrom = 480;

export function useIsLong(card: RefObject<HTMLElement | null>): boolean {
  const [isLong, setIsLong] = useState(false);
  useLayoutEffect(() => {
    const element = card.current;
    if (!element) return;
    // Once long it stays so: what it then says again must not make it short.
    const look = () => setIsLong((before) => before || element.offsetHeight > longFrom);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [card]);
  return isLong;
}
