// Nothing here yet: why, and what to do next.
import type { ReactNode } from 'react';

export interface EmptyStateProps {
  icon?: ReactNode;
  title: ReactNode;
  /** What would stand here and how it comes to be. */
  note?: ReactNode;
  /** Buttons or links. */
  actions?: ReactNode;
}

export function EmptyState({ icon, title, note, actions }: EmptyStateProps) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-1.5 px-6 py-12 text-center">
      {icon && (
        <span
          aria-hidden="true"
          className="mb-2 flex size-11 items-center justify-center rounded-xl border bg-raised text-faint [&>svg]:size-5"
        >
          {icon}
        </span>
      )}
      <p className="font-medium">{title}</p>
      {note && <div className="text-sm text-soft">{note}</div>}
      {actions && <div className="mt-3 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
