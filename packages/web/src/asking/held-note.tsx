// Says of an answer that was pressed while the server is away that it has not been sent, and how to take it back.
import { CloudOff } from 'lucide-react';
import { Button } from '../parts/button.tsx';
import { forgetHeld, useHeldAnswer } from './held-answers.ts';

export function HeldNote({ id }: { id: string }) {
  const held = useHeldAnswer(id);
  if (!held) return null;
  const { label, takeBack } = held;
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-1.5 rounded-lg border border-warn/40 bg-warn-wash px-3 py-2 text-[13px]"
    >
      <CloudOff className="size-3.5 shrink-0 text-warn" aria-hidden="true" />
      <span className="min-w-0 flex-1">
        {takeBack
          ? `The server is away: “${label}” is not sent yet. It goes out when the server is back.`
          : `You pressed “${label}” while the server was away. It was not sent before the page was loaded anew: answer again.`}
      </span>
      <Button size="small" onClick={takeBack ?? (() => forgetHeld(id))}>
        {takeBack ? 'Take it back' : 'Dismiss'}
      </Button>
    </div>
  );
}
