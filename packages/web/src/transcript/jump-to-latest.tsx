// Back to the end of the transcript, with how much has come in since the reader left it.
import { clsx } from 'clsx';
import { ArrowDown } from 'lucide-react';
import { Button } from '../controls/button.tsx';

export interface JumpToLatestProps {
  unseen: number;
  /** Something to be answered is in view: none of its words may be covered. */
  isAside: boolean;
  onJump(): void;
}

export function JumpToLatest({ unseen, isAside, onJump }: JumpToLatestProps) {
  return (
    <Button
      size="small"
      icon={<ArrowDown className="size-3.5" aria-hidden="true" />}
      onClick={onJump}
      title="Jump to latest"
      className={clsx(
        'pointer-events-auto rounded-full shadow-lg',
        isAside && 'self-end px-1.75! max-xl:hidden',
      )}
    >
      <span className={clsx(isAside && 'sr-only')}>Jump to latest</span>
      {unseen > 0 && <span className="text-accent tabular-nums">{unseen} new</span>}
    </Button>
  );
}
