// Where the focus was before a dialog took it: a dialog that is opened without a trigger of its own must know.
import { useRef } from 'react';

/** For the content of a Radix dialog, where the focus begins at the first thing that takes it, or at the content itself. */
export function useReturnFocus(begin: 'first' | 'content' = 'first') {
  const opener = useRef<Element | null>(null);
  return {
    onOpenAutoFocus(event: Event) {
      opener.current = document.activeElement;
      if (begin === 'first' || !(event.target instanceof HTMLElement)) return;
      event.preventDefault();
      event.target.focus();
    },
    onCloseAutoFocus(event: Event) {
      event.preventDefault();
      if (opener.current instanceof HTMLElement && opener.current.isConnected) opener.current.focus();
    },
  };
}
