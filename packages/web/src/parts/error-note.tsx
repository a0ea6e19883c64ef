// What went wrong, as the server says it, with what to do and a way to try again.
import { clsx } from 'clsx';
import { RotateCw, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { toProblem } from '../connection/problems.ts';
import { Button } from '../controls/button.tsx';
import { Words } from './code.tsx';

export interface ErrorNoteProps {
  /** A ToolyardError, or anything that was thrown. */
  error: unknown;
  /** What was tried, such as "The sessions could not be read". */
  title?: ReactNode;
  onRetry?: (() => void) | undefined;
  busy?: boolean | undefined;
  className?: string | undefined;
  children?: ReactNode;
}

export function ErrorNote({ error, title, onRetry, busy, className, children }: ErrorNoteProps) {
  const { message, advice, code } = toProblem(error);
  return (
    <div
      role="alert"
      className={clsx(
        'flex items-start gap-3 rounded-xl border border-bad/30 bg-bad-wash p-3.5 text-sm',
        className,
      )}
    >
      <TriangleAlert className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden="true" />
      <div className="min-w-0 flex-1 wrap-anywhere">
        <p className="font-medium">{title ?? <Words text={message} />}</p>
        {title && (
          <p className="text-soft">
            <Words text={message} />
          </p>
        )}
        {advice && (
          <p className="text-soft">
            <Words text={advice} />
          </p>
        )}
        <p className="mt-0.5 font-mono text-xs text-soft">{code}</p>
        {children}
      </div>
      {onRetry && (
        <Button size="small" icon={<RotateCw className="size-3.5" />} busy={busy} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
