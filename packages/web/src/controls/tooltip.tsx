// A name or a word more, on hover and focus. Never the only place where something stands.
import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Kbd } from './kbd.tsx';

export interface TooltipProps {
  text: ReactNode;
  side?: 'top' | 'right' | 'bottom' | 'left' | undefined;
  shortcut?: string | undefined;
  /** One element that takes focus. */
  children: ReactNode;
}

export function Tooltip({ text, side = 'top', shortcut, children }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="pop z-60 flex max-w-80 items-center gap-2 rounded-md bg-ink px-2 py-1 text-xs text-ground shadow-lg"
        >
          {text}
          {shortcut && <Kbd keys={shortcut} inverse />}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
