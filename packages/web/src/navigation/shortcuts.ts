// Keys that work everywhere, and the list of them. `g` waits a moment for the letter of a screen.
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isTyping } from '../controls/list-keys.ts';
import { openDialog } from './dialogs.ts';
import { screens } from './navigation.tsx';
import { useGoToStart } from './use-go-to-start.ts';

export interface Shortcut {
  keys: string;
  does: string;
}

export const shortcuts: readonly { name: string; shortcuts: readonly Shortcut[] }[] = [
  {
    name: 'Everywhere',
    shortcuts: [
      { keys: 'mod+k', does: 'Find a session, a screen or an action' },
      { keys: 'mod+j', does: 'Next approval or question; after the last one, back' },
      { keys: 'c', does: 'Begin a new session' },
      { keys: '/', does: 'Filter the sessions' },
      { keys: '?', does: 'Show these keys' },
      { keys: 'g h', does: 'Go to the start' },
      ...screens.map(({ name, key }) => ({ keys: `g ${key}`, does: `Go to ${name}` })),
    ],
  },
  {
    name: 'In a list',
    shortcuts: [
      { keys: 'j', does: 'Next' },
      { keys: 'k', does: 'Previous' },
      { keys: 'enter', does: 'Open' },
      { keys: 'F2', does: 'Rename a session' },
      { keys: 'Delete', does: 'Delete a session' },
    ],
  },
  {
    name: 'In a conversation',
    shortcuts: [
      { keys: 'enter', does: 'Send' },
      { keys: 'shift+enter', does: 'Break the line' },
      { keys: 'Esc', does: 'Stop the turn' },
    ],
  },
  {
    name: 'In an approval that has the focus',
    shortcuts: [
      { keys: 'a', does: 'Allow once' },
      { keys: 's', does: 'Allow for this session' },
      { keys: 'w', does: 'Allow always' },
      { keys: 'd', does: 'Deny, with a reason' },
    ],
  },
];

const secondKeyTimeoutMs = 1_200;

export function useShortcuts(): void {
  const navigate = useNavigate();
  const begin = useGoToStart();
  useEffect(() => {
    let awaitsScreen = 0;
    const onKeyDown = (event: KeyboardEvent) => {
      if (isPaletteKey(event)) {
        if (!isHeld()) openDialog({ kind: 'palette' });
      } else if (event.ctrlKey || event.metaKey || event.altKey || isBusy(event)) return;
      else if (event.key === 'g') awaitsScreen = event.timeStamp + secondKeyTimeoutMs;
      else if (event.key === '?') openDialog({ kind: 'shortcuts' });
      else if (event.key === 'c') begin();
      else if (event.key === '/') document.getElementById('session-filter')?.focus();
      else return;
      event.preventDefault();
    };
    /** Before anybody else: to an approval, the same letter would be an answer. */
    const onSecondKey = (event: KeyboardEvent) => {
      const isSecond = event.timeStamp < awaitsScreen && event.key.length === 1;
      awaitsScreen = 0;
      if (!isSecond || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const to = event.key === 'h' ? '/' : screens.find(({ key }) => key === event.key)?.to;
      if (to) void navigate({ to });
    };
    window.addEventListener('keydown', onSecondKey, { capture: true });
    window.addEventListener('keydown', onKeyDown);
    return () => {
      window.removeEventListener('keydown', onSecondKey, { capture: true });
      window.removeEventListener('keydown', onKeyDown);
    };
  }, [navigate, begin]);
}

function isPaletteKey(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k';
}

/** A form, or what has to be answered first, is in front. */
function isHeld(): boolean {
  const held = '[role=alertdialog],[role=dialog] form:not([data-state=inactive] *)';
  return document.querySelector(held) !== null;
}

/** Somebody writes, or a dialog or menu has the keys, or a screen took this one. */
function isBusy(event: KeyboardEvent): boolean {
  return (
    event.defaultPrevented ||
    isTyping(event.target) ||
    document.querySelector('[role=dialog],[role=alertdialog],[role=menu],[role=listbox]') !== null
  );
}
