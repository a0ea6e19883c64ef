// Where the reader of a transcript is, and when it is moved for them.
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { scrolledToCard } from '../decision-cards/scroll-to-card.ts';
import type { Row } from '../transcript-rows/rows.ts';
import { useScrollUpIntent } from './scroll-intent.ts';

/** A reader who comes so near to the end is taken there. */
const nearEnd = 60;
/** Places are read in whole pixels, and are not. */
export const atEnd = 2;

type Names = (index: number) => string | number;

/** Names the rows. The same function as long as the names are the same: a new one has all sizes added up again. */
export function useKeys(rows: readonly Row[]): Names {
  const kept = useRef<{ rows: readonly Row[]; names: Names }>(undefined);
  const before = kept.current;
  const isSame =
    before?.rows.length === rows.length && rows.every(({ key }, at) => key === before.rows[at]?.key);
  if (isSame && before) return before.names;
  const names: Names = (index) => rows[index]?.key ?? index;
  kept.current = { rows, names };
  return names;
}

/**
 * Follows the end until the reader goes up, and again once they come back to it. Where rows come in is no matter: what
 * waits in the queue stands below an answer that grows. Looked at after every drawing, for a view that grows does not
 * scroll by itself.
 */
export function useFollowEnd(box: RefObject<HTMLElement | null>, count: number, toEnd: () => void) {
  /** How many rows there were when the reader left the end. */
  const [left, setLeft] = useState<number>();
  const isLeft = useRef(false);
  const before = useRef<ScrollPosition>({ top: 0, height: 0, below: 0 });
  const change = useCallback(
    (isAway: boolean) => {
      if (isAway === isLeft.current) return;
      isLeft.current = isAway;
      setLeft(isAway ? count : undefined);
    },
    [count],
  );
  const isScrollingUp = useScrollUpIntent(box, () => settle());
  const look = useCallback(() => {
    const place = readScrollPosition(box.current);
    const { top } = before.current;
    if (isScrollingUp() ? place.top < top : hasScrolledUp(before.current, place)) change(place.below > atEnd);
    else if (!isScrollingUp() && place.below <= (place.top > top ? nearEnd : atEnd)) change(false);
    before.current = place;
    return place;
  }, [box, change, isScrollingUp]);
  function settle(): void {
    const { below } = look();
    if (!isLeft.current && !isScrollingUp() && below > atEnd) toEnd();
  }
  useLayoutEffect(settle);
  const onMove = useCallback(() => {
    before.current = readScrollPosition(box.current);
  }, [box]);
  const stopFollowing = useCallback(() => change(true), [change]);
  useEffect(() => {
    const view = box.current;
    view?.addEventListener(scrolledToCard, stopFollowing);
    return () => view?.removeEventListener(scrolledToCard, stopFollowing);
  }, [box, stopFollowing]);
  const followEnd = useCallback(() => {
    change(false);
    toEnd();
  }, [change, toEnd]);
  const unseen = left === undefined ? 0 : Math.max(0, count - left);
  return { isAtEnd: left === undefined, unseen, onScroll: look, onMove, stopFollowing, followEnd };
}

/** Where the view stands: `below` is what there is past its lower edge. */
interface ScrollPosition {
  top: number;
  height: number;
  below: number;
}

function readScrollPosition(element: HTMLElement | null): ScrollPosition {
  if (!element) return { top: 0, height: 0, below: 0 };
  const { scrollTop: top, scrollHeight: height, clientHeight } = element;
  return { top, height, below: height - top - clientHeight };
}

/** By more than what has gone from above or below: then it was the reader. */
function hasScrolledUp(before: ScrollPosition, now: ScrollPosition): boolean {
  return before.top - now.top > Math.max(0, before.height - now.height) + atEnd;
}

/** What the reader has just sent is shown, wherever they were. */
export function useOwnMessages(rows: readonly Row[], jump: () => void): void {
  const own = rows.filter(({ kind }) => kind === 'outgoing').length;
  const before = useRef(own);
  useEffect(() => {
    if (own > before.current) jump();
    before.current = own;
  }, [own, jump]);
}
