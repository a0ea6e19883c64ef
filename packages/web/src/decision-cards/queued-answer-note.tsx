// Says of an answer that was pressed while the server is away that it has not been sent, and how to take it back.

import { Button } from '../controls/button.tsx';
import { AwayNote } from '../parts/away-note.tsx';
import { removeQueuedAnswer, useQueuedAnswer } from './queued-answers.ts';

export function QueuedAnswerNote({ id }: { id: string }) {
  const held = useQueuedAnswer(id);
  if (!held) return null;
  const { label, takeBack } = held;
  return (
    <AwayNote
      action={
        <Button size="small" onClick={takeBack ?? (() => removeQueuedAnswer(id))}>
          {takeBack ? 'Take it back' : 'Dismiss'}
        </Button>
      }
    >
      {takeBack
        ? `The server is away: “${label}” is not sent yet. It goes out when the server is back.`
        : `You pressed “${label}” while the server was away. It was not sent before the page was loaded anew: answer again.`}
    </AwayNote>
  );
}
