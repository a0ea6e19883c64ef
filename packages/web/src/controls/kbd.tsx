// Keys, as they stand on this machine's keyboard: `mod+k` is ⌘K or Ctrl K.
import { clsx } from 'clsx';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
const names: Record<string, string> = {
  mod: isApple ? '⌘' : 'Ctrl',
  alt: isApple ? '⌥' : 'Alt',
  shift: isApple ? '⇧' : 'Shift',
  enter: 'Enter',
  escape: 'Esc',
  up: '↑',
  down: '↓',
};

export function toKeys(keys: string): string[] {
  return keys.split('+').map((key) => names[key] ?? (key.length === 1 ? key.toUpperCase() : key));
}

export function Kbd({ keys, inverse }: { keys: string; inverse?: boolean | undefined }) {
  return (
    <kbd className="inline-flex gap-0.5 font-sans">
      {toKeys(keys).map((key) => (
        <span
          key={key}
          className={clsx(
            'inline-flex h-4.5 min-w-4.5 items-center justify-center rounded border px-1 text-11 leading-none',
            inverse ? 'border-ground/30 text-ground' : 'bg-sunken text-faint',
          )}
        >
          {key}
        </span>
      ))}
    </kbd>
  );
}
