// The way back of a message that waits for its turn: nobody has read it, so it can still be changed or left unsaid.
import type { UserItem } from '@toolyard/sdk';
import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import { client } from '../connection/client.ts';
import { toProblem } from '../connection/problems.ts';
import { Button } from '../controls/button.tsx';
import { useToast } from '../controls/toast.tsx';
import { useOpenSession } from '../transcript-rows/session-context.ts';

export function TakeBack({ item }: { item: UserItem }) {
  const { sessionId, edit } = useOpenSession();
  const toast = useToast();
  const [isTaking, setIsTaking] = useState(false);

  async function takeBack(turnId: string): Promise<void> {
    setIsTaking(true);
    try {
      const taken = await client.sessions.interrupt(sessionId, { turnId });
      if (taken.turnId) edit(item.content);
      else toast({ title: 'It was answered in the same moment.' });
    } catch (thrown) {
      toast({ tone: 'bad', title: 'It could not be taken back', note: toProblem(thrown).message });
    } finally {
      setIsTaking(false);
    }
  }

  const { turnId } = item;
  if (turnId === undefined) return null;
  return (
    <Button
      size="small"
      icon={<Undo2 className="size-3.5" />}
      disabled={isTaking}
      onClick={() => void takeBack(turnId)}
    >
      Take back
    </Button>
  );
}
