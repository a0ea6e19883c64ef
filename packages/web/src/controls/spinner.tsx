// Waiting: a small wheel, and grey shapes where something will stand.
import { clsx } from 'clsx';

/** With a label it is announced; without one it decorates something that says it itself. */
export function Spinner({
  label,
  className,
}: {
  label?: string | undefined;
  className?: string | undefined;
}) {
  const wheel = (
    <svg
      viewBox="0 0 16 16"
      className={clsx('size-4 shrink-0 animate-spin', !label && className)}
      aria-hidden="true"
    >
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="2" opacity="0.25" />
      <path d="M8 2a6 6 0 0 1 6 6" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
  if (!label) return wheel;
  return (
    <span role="status" className={clsx('inline-flex items-center gap-2 text-sm text-faint', className)}>
      {wheel}
      {label}
    </span>
  );
}

export function Skeleton({ className }: { className?: string | undefined }) {
  return <span aria-hidden="true" className={clsx('block animate-pulse rounded-md bg-line/70', className)} />;
}

/** Some lines that will be text. */
export function SkeletonLines({ count = 3, label = 'Loading' }: { count?: number; label?: string }) {
  const widths = ['w-11/12', 'w-4/5', 'w-2/3', 'w-5/6', 'w-3/4'];
  return (
    <div role="status" aria-label={label} className="flex flex-col gap-2.5 py-1">
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike and never move
        <Skeleton key={index} className={clsx('h-3.5', widths[index % widths.length])} />
      ))}
    </div>
  );
}
