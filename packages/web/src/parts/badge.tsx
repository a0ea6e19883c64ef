// A small word with a colour that means something. The word says it, too: colour alone never does.
import { clsx } from 'clsx';
import type { ReactNode } from 'react';

export type Tone = 'neutral' | 'accent' | 'good' | 'warn' | 'bad';

const tones: Record<Tone, string> = {
  neutral: 'bg-sunken text-soft ring-line',
  accent: 'bg-accent-wash text-accent ring-accent/25',
  good: 'bg-good-wash text-good ring-good/25',
  warn: 'bg-warn-wash text-warn ring-warn/25',
  bad: 'bg-bad-wash text-bad ring-bad/25',
};

export interface BadgeProps {
  tone?: Tone | undefined;
  icon?: ReactNode;
  /** For names of tools, models, files. */
  mono?: boolean | undefined;
  title?: string | undefined;
  className?: string | undefined;
  children: ReactNode;
}

export function Badge({ tone = 'neutral', icon, mono, title, className, children }: BadgeProps) {
  return (
    <span
      title={title}
      className={clsx(
        'inline-flex h-5 max-w-full items-center gap-1 rounded-md px-1.5 text-xs font-medium whitespace-nowrap ring-1 ring-inset',
        '[&>svg]:size-3 [&>svg]:shrink-0',
        mono && 'font-mono text-[0.71875rem]',
        tones[tone],
        className,
      )}
    >
      {icon}
      <span className="truncate">{children}</span>
    </span>
  );
}

/** A number on something: how many wait. Nothing for zero. */
export function CountBadge({ count, label }: { count: number; label: string }) {
  if (count === 0) return null;
  return (
    <span className="inline-flex h-5 min-w-5 items-center justify-center rounded-full bg-accent px-1.5 text-xs font-semibold text-on-accent tabular-nums">
      {count > 99 ? '99+' : count}
      <span className="sr-only"> {label}</span>
    </span>
  );
}
