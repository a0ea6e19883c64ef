// In place of a part of the page that broke while it was drawn: what happened, and its details to copy for a report.
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyButton } from '../controls/copy-button.tsx';

export interface BrokenPartProps {
  error: unknown;
  /** What could not be shown. */
  title: string;
  children?: ReactNode;
}

export function BrokenPart({ error, title, children }: BrokenPartProps) {
  return (
    <div
      role="alert"
      className="flex items-start gap-2.5 rounded-xl border border-bad/30 bg-bad-wash px-3.5 py-2.5 text-sm"
    >
      <TriangleAlert className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden="true" />
      <div className="min-w-0 flex-1 wrap-anywhere">
        <p className="font-medium">{title}</p>
        <p className="text-soft">This page broke while it was drawn: {toBrief(error)}</p>
        {children}
      </div>
      <CopyButton text={() => toDetails(error)} label="Copy the details" />
    </div>
  );
}

const mostShown = 300;

function toBrief(error: unknown): string {
  return (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, mostShown);
}

/** For a report: what broke, where, and in which browser. */
export function toDetails(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return [toBrief(error), location.pathname, navigator.userAgent, stack].join('\n');
}
