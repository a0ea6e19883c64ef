// A raised surface with an optional head.
import { clsx } from 'clsx';
import type { ComponentProps, ReactNode } from 'react';

export interface CardProps extends Omit<ComponentProps<'section'>, 'title'> {
  title?: ReactNode;
  note?: ReactNode;
  /** Stands at the right of the head. */
  actions?: ReactNode;
  /** No space around the content: for tables and lists that go to the edge. */
  flush?: boolean | undefined;
}

export function Card({ title, note, actions, flush, className, children, ...rest }: CardProps) {
  return (
    <section className={clsx('overflow-hidden rounded-xl border bg-raised', className)} {...rest}>
      {(title || actions) && (
        <header className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-2.5">
          <div className="min-w-0 flex-1">
            {title && <h2 className="text-sm font-semibold">{title}</h2>}
            {note && <p className="text-13 text-faint">{note}</p>}
          </div>
          {actions}
        </header>
      )}
      <div className={clsx(!flush && 'p-4')}>{children}</div>
    </section>
  );
}
