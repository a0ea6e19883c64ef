// What a session is doing, as a dot with words for those who do not see it.
import type { SessionStatus } from '@toolyard/sdk';
import { clsx } from 'clsx';

export type ShownStatus = SessionStatus | 'finished' | 'failed';

const styles: Record<ShownStatus, { words: string; classes: string }> = {
  idle: { words: 'Idle', classes: 'bg-transparent ring-1 ring-inset ring-faint/60' },
  running: { words: 'Running', classes: 'bg-accent animate-pulse' },
  waiting: { words: 'Waiting for you', classes: 'bg-warn' },
  finished: { words: 'Finished since you looked', classes: 'bg-good' },
  failed: { words: 'Its last turn failed', classes: 'bg-bad' },
  closed: { words: 'Closed', classes: 'bg-line' },
};

export function toStatusWords(status: SessionStatus): string {
  return styles[status].words;
}

export interface StatusDotProps {
  status: ShownStatus;
  className?: string | undefined;
}

export function StatusDot({ status, className }: StatusDotProps) {
  const { words, classes } = styles[status];
  return (
    <span
      role="img"
      aria-label={words}
      title={words}
      className={clsx('size-2 shrink-0 rounded-full', classes, className)}
    />
  );
}
