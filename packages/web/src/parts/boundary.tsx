// Catches what breaks while it is drawn, so that only that part goes and not the page around it, and what stands there
// instead.

import { TriangleAlert } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { CopyButton } from '../controls/copy-button.tsx';

export interface BoundaryProps {
  /** What stands there instead. */
  fallback: (error: unknown) => ReactNode;
  /** When this changes, drawing is tried again. */
  of?: unknown;
  children: ReactNode;
}

interface State {
  broke: { error: unknown } | undefined;
}

export class Boundary extends Component<BoundaryProps, State> {
  override state: State = { broke: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { broke: { error } };
  }

  override componentDidUpdate(before: BoundaryProps): void {
    if (this.state.broke && before.of !== this.props.of) this.setState({ broke: undefined });
  }

  override render(): ReactNode {
    const { broke } = this.state;
    return broke ? this.props.fallback(broke.error) : this.props.children;
  }
}

interface BrokenPartProps {
  error: unknown;
  /** What could not be shown. */
  title: string;
  children?: ReactNode;
}

/** In place of a part of the page that broke: what happened, and its details to copy for a report. */
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

const maxShown = 300;

function toBrief(error: unknown): string {
  return (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, maxShown);
}

/** For a report: what broke, where, and in which browser. */
export function toDetails(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return [toBrief(error), location.pathname, navigator.userAgent, stack].join('\n');
}
