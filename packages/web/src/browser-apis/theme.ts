// Light, dark or as the system has it; remembered in this browser. `public/theme.js` applies it before the first paint.
import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const storedAs = 'toolyard.theme';
const listeners = new Set<() => void>();
let theme = read();

function read(): Theme {
  const found = document.documentElement.dataset.theme;
  return found === 'light' || found === 'dark' ? found : 'system';
}

export function setTheme(next: Theme): void {
  theme = next;
  if (next === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  try {
    if (next === 'system') localStorage.removeItem(storedAs);
    else localStorage.setItem(storedAs, next);
  } catch {
    // It still holds until the page is left.
  }
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => theme,
  );
}
