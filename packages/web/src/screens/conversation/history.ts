// What was said before, by the arrow keys in an empty field, as in a shell.
import { type TranscriptItem, toText } from '@toolyard/sdk';
import { type KeyboardEvent, useState } from 'react';

export function useHistory(items: readonly TranscriptItem[], text: string, setText: (text: string) => void) {
  /** How far back; 0 is what is being written. */
  const [back, setBack] = useState(0);

  function go(to: number): boolean {
    const said = items.flatMap((item) => (item.kind === 'user' ? [toText(item.content)] : []));
    const found = to === 0 ? '' : said.at(-to);
    if (found === undefined) return false;
    setBack(to);
    setText(found);
    return true;
  }

  return {
    reset: () => setBack(0),
    onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
      const isPlain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
      const isUnchanged = back > 0;
      if (event.key === 'ArrowUp' && isPlain && (text === '' || isUnchanged)) {
        if (go(back + 1)) event.preventDefault();
      } else if (event.key === 'ArrowDown' && isPlain && isUnchanged) {
        if (go(back - 1)) event.preventDefault();
      } else if (event.key.length === 1 || event.key === 'Backspace') setBack(0);
    },
  };
}
