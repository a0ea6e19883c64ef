// Back to the end of the transcript, with how much has come in since the reader left it.
import { ArrowDown } from 'lucide-react';
import { Button } from '../../parts/button.tsx';

export function JumpToLatest({ unseen, onJump }: { unseen: number; onJump(): void }) {
  return (
    <Button
      size="small"
      icon={<ArrowDown className="size-3.5" aria-hidden="true" />}
      onClick={onJump}
      className="pointer-events-auto rounded-full shadow-lg"
    >
      Jump to latest
      {unseen > 0 && <span className="text-accent tabular-nums">{unseen} new</span>}
    </Button>
  );
}
