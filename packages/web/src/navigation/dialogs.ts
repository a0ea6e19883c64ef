// Which of the shell's dialogs is open. Anybody may open one: a button, a key, the palette.
import type { Session } from '@toolyard/sdk';
import { useSyncExternalStore } from 'react';

export type OpenDialog =
  | { kind: 'newSession' | 'palette' | 'shortcuts' | 'drawer' }
  | { kind: 'rename'; session: Session };

const listeners = new Set<() => void>();
let current: OpenDialog | undefined;

export function openDialog(dialog: OpenDialog): void {
  current = dialog;
  for (const listener of listeners) listener();
}

export function closeDialog(): void {
  current = undefined;
  for (const listener of listeners) listener();
}

export function useOpenDialog(): OpenDialog | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
