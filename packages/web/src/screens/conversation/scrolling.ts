// Where the reader of a transcript is, and when it is moved for them.
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { Row } from './rows.ts';

/** So near to the end a reader counts as being there. */
export const nearEnd = 60;

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

/** Is the reader at the end, and how much has come in since they left it? */
export function useEnd(box: RefObject<HTMLElement | null>, count: number) {
  const [left, setLeft] = useState<number>();
  const onScroll = useCallback(() => {
    const element = box.current;
    if (!element) return;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight <= nearEnd;
    setLeft((before) => (isAtEnd ? undefined : (before ?? count)));
  }, [box, count]);
  const unseen = left === undefined ? 0 : Math.max(0, count - left);
  return { isAtEnd: left === undefined, unseen, onScroll };
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

/** Begins at the end. */
export function useStart(hasRows: boolean, jump: () => void): void {
  useEffect(() => {
    if (hasRows) jump();
  }, [hasRows, jump]);
}
