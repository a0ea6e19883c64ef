// What a session is doing, as a dot with words for those who do not see it.
import type { SessionStatus } from '@toolyard/sdk';
import { clsx } from 'clsx';

export type ShownStatus = SessionStatus | 'finished' | 'failed';

const looks: Record<ShownStatus, { words: string; look: string }> = {
  idle: { words: 'Idle', look: 'bg-transparent ring-1 ring-inset ring-faint/60' },
  running: { words: 'Running', look: 'bg-accent animate-pulse' },
  waiting: { words: 'Waiting for you', look: 'bg-warn' },
  finished: { words: 'Finished since you looked', look: 'bg-good' },
  failed: { words: 'Its last turn failed', look: 'bg-bad' },
  closed: { words: 'Closed', look: 'bg-line' },
};

export function toStatusWords(status: SessionStatus): string {
  return looks[status].words;
}

export interface StatusDotProps {
  status: ShownStatus;
  className?: string | undefined;
}

export function StatusDot({ status, className }: StatusDotProps) {
  const { words, look } = looks[status];
  return (
    <span
      role="img"
      aria-label={words}
      title={words}
      className={clsx('size-2 shrink-0 rounded-full', look, className)}
    />
  );
}
