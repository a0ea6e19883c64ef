// A row that goes to another group of its list is drawn anew: whoever had the focus on it keeps it.
import { type FocusEvent, type RefObject, useLayoutEffect, useRef } from 'react';

export function useKeepFocus(list: RefObject<HTMLElement | null>) {
  const address = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (!address.current || document.activeElement !== document.body) return;
    list.current
      ?.querySelector<HTMLElement>(`a[href="${CSS.escape(address.current)}"]`)
      ?.focus({ preventScroll: true });
  });
  return {
    onFocus: ({ target }: FocusEvent) => {
      address.current = target instanceof HTMLAnchorElement ? target.getAttribute('href') : null;
    },
    // What a drawing takes away is not told: only who goes elsewhere is.
    onBlur: () => {
      address.current = null;
    },
  };
}
