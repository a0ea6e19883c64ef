// What was said before, by the arrow keys in an empty field, as in a shell. What a person typed is never written over: a
// recalled text that was changed in any way, by keys, paste, dictation or an input method, is theirs.
import { type TranscriptItem, toText } from '@toolyard/sdk';
import { type KeyboardEvent, useRef } from 'react';

export interface Recalled {
  /** How far back. */
  back: number;
  /** What was put into the field. */
  shown: string;
  /** What stood there before, for the way back. */
  typed: string;
}

/** What an arrow brings: another recalled text, or, as a string, what was typed; nothing when the arrow is the field's own. */
export function recall(
  recalled: Recalled | undefined,
  text: string,
  messages: readonly string[],
  step: 1 | -1,
): Recalled | string | undefined {
  const current = recalled?.shown === text ? recalled : undefined;
  if (!current && (text !== '' || step < 0)) return undefined;
  const { back, typed } = current ?? { back: 0, typed: text };
  if (back + step === 0) return typed;
  const shown = messages.at(-(back + step));
  return shown === undefined ? undefined : { back: back + step, shown, typed };
}

export function useHistory(items: readonly TranscriptItem[], text: string, setText: (text: string) => void) {
  const recalled = useRef<Recalled>(undefined);

  return {
    reset: () => {
      recalled.current = undefined;
    },
    onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
      const step = toStep(event);
      if (!step) return;
      const messages = items.flatMap((item) => (item.kind === 'user' ? [toText(item.content)] : []));
      const found = recall(recalled.current, text, messages, step);
      if (found === undefined) return;
      event.preventDefault();
      recalled.current = typeof found === 'string' ? undefined : found;
      setText(typeof found === 'string' ? found : found.shown);
    },
  };
}

function toStep(event: KeyboardEvent): 1 | -1 | undefined {
  const { key, shiftKey, ctrlKey, metaKey, altKey, nativeEvent } = event;
  // Within an input method the arrows choose among its words.
  if (shiftKey || ctrlKey || metaKey || altKey || nativeEvent.isComposing) return undefined;
  if (key === 'ArrowUp') return 1;
  return key === 'ArrowDown' ? -1 : undefined;
}
