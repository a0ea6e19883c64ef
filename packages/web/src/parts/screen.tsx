// The frame of a screen: its name, what it is for, and what can be done on it.
import { clsx } from 'clsx';
import type { ReactNode } from 'react';

export interface ScreenProps {
  title: string;
  note?: ReactNode;
  /** Stands at the right of the title. */
  actions?: ReactNode;
  /** As wide as there is room, and no higher: what scrolls is inside. */
  full?: boolean | undefined;
  children: ReactNode;
}

export function Screen({ title, note, actions, full, children }: ScreenProps) {
  return (
    <main
      className={clsx(
        'mx-auto flex w-full flex-col gap-4 px-4 py-5 sm:px-6 lg:px-8',
        full ? 'h-full min-h-96 max-w-[100rem]' : 'max-w-6xl',
      )}
    >
      <header className="flex flex-wrap items-end gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
          {note && <p className="mt-0.5 max-w-prose text-sm text-soft">{note}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </main>
  );
}
