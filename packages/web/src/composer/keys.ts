// Which keys do what where a person writes.
import type { KeyboardEvent } from 'react';

/** Where there is no real keyboard, Enter breaks the line and a button sends. */
export const isTouch = matchMedia('(pointer: coarse)').matches && !matchMedia('(any-pointer: fine)').matches;

/** Enter by itself, and not the one that takes a suggestion of an input method. */
export function isSendKey({ key, shiftKey, altKey, nativeEvent, keyCode }: KeyboardEvent): boolean {
  const isComposing = nativeEvent.isComposing || keyCode === 229;
  return key === 'Enter' && !shiftKey && !altKey && !isComposing && !isTouch;
}
