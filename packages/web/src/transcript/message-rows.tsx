// What a person said: in the log, in the queue, or still on its way.
import { type Content, toText, type UserItem } from '@toolyard/sdk';
import { clsx } from 'clsx';
import { Clock, CloudOff, RotateCw, SquarePen, TriangleAlert, Undo2, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { client } from '../connection/client.ts';
import { useSocketState } from '../connection/connection-state.ts';
import { toProblem } from '../connection/problems.ts';
import { Button } from '../controls/button.tsx';
import { CopyButton } from '../controls/copy-button.tsx';
import { Spinner } from '../controls/spinner.tsx';
import { useToast } from '../controls/toast.tsx';
import { canCancel, cancelMessage, type Outgoing, sendAgain } from '../outbox/outbox.ts';
import { toBoxName, toContentName } from '../outbox/outbox-storage.ts';
import { Time } from '../parts/time.tsx';
import { useIsUnsaved } from '../storage/unsaved-changes.ts';
import { useOpenSession } from '../transcript-rows/session-context.ts';
import { MessageParts, Words } from './message-parts.tsx';

export function UserRow({ item }: { item: UserItem }) {
  return (
    <Bubble
      content={item.content}
      below={
        <>
          <CopyButton
            text={toText(item.content)}
            label="Copy message"
            className="opacity-0 group-hover/bubble:opacity-100 focus-visible:opacity-100"
          />
          <Time at={item.at} />
        </>
      }
    />
  );
}

export function QueuedRow({ item, isNext }: { item: UserItem; isNext: boolean }) {
  return (
    <Bubble
      content={item.content}
      isWaiting
      below={
        <>
          <Clock className="size-3" aria-hidden="true" />
          {isNext ? 'Queued: it is next' : 'Queued'}
          <CancelMessage item={item} />
        </>
      }
    />
  );
}

export function OutgoingRow({ outgoing }: { outgoing: Outgoing }) {
  const { sessionId } = useOpenSession();
  if (outgoing.error === undefined) {
    return <Bubble content={outgoing.content} isWaiting below={<OnItsWay outgoing={outgoing} />} />;
  }
  const { message } = toProblem(outgoing.error);
  const failed = (
    <div role="alert" className="flex flex-wrap items-center justify-end gap-x-2 gap-y-1 text-13 text-bad">
      <TriangleAlert className="size-3.5" aria-hidden="true" />
      <span className="min-w-0 wrap-anywhere">Not sent. {message}</span>
      <Button
        size="small"
        icon={<RotateCw className="size-3.5" />}
        onClick={() => sendAgain(sessionId, outgoing)}
      >
        Try again
      </Button>
      <WaysBack outgoing={outgoing} />
    </div>
  );
  return <Bubble content={outgoing.content} isWaiting below={failed} />;
}

function WaysBack({ outgoing }: { outgoing: Outgoing }) {
  const { sessionId, edit } = useOpenSession();
  return (
    <span className="flex gap-1.5">
      <Button
        size="small"
        icon={<SquarePen className="size-3.5" />}
        onClick={() => {
          edit(outgoing.content);
          cancelMessage(sessionId, outgoing);
        }}
      >
        Edit
      </Button>
      <Button
        size="small"
        icon={<X className="size-3.5" />}
        onClick={() => cancelMessage(sessionId, outgoing)}
      >
        Discard
      </Button>
    </span>
  );
}

function OnItsWay({ outgoing }: { outgoing: Outgoing }) {
  const { sessionId } = useOpenSession();
  const line = useSocketState();
  const isContentUnkept = useIsUnsaved(toContentName(outgoing.key));
  const isUnkept = useIsUnsaved(toBoxName(sessionId)) || isContentUnkept;
  return (
    <>
      {line === 'open' ? (
        <>
          <Spinner className="size-3" /> Sending
        </>
      ) : (
        <>
          <CloudOff className="size-3" aria-hidden="true" /> Waits for the server: it goes out by itself
          {canCancel(outgoing) && <WaysBack outgoing={outgoing} />}
        </>
      )}
      {isUnkept && (
        <span className="text-warn">Keep this page open: your browser has no room to keep it</span>
      )}
    </>
  );
}

interface BubbleProps {
  content: Content;
  isWaiting?: boolean;
  below: ReactNode;
}

function Bubble({ content, isWaiting = false, below }: BubbleProps) {
  return (
    <div className="group/bubble mt-2 flex flex-col items-end gap-1">
      <h2 className="sr-only">You</h2>
      <div
        className={clsx(
          'max-w-[min(100%,40rem)] rounded-2xl rounded-br-md border px-3.5 py-2',
          isWaiting ? 'border-dashed bg-ground text-soft' : 'bg-accent-wash',
        )}
      >
        {typeof content === 'string' ? <Words text={content} /> : <MessageParts parts={content} />}
      </div>
      <div className="flex min-h-7 flex-wrap items-center justify-end gap-1.5 text-xs text-faint">
        {below}
      </div>
    </div>
  );
}

/** The way back of a message that waits for its turn: nobody has read it, so it can still be changed or left unsaid. */
function CancelMessage({ item }: { item: UserItem }) {
  const { sessionId, edit } = useOpenSession();
  const toast = useToast();
  const [isTaking, setIsTaking] = useState(false);

  async function cancelQueued(turnId: string): Promise<void> {
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
      onClick={() => void cancelQueued(turnId)}
    >
      Take back
    </Button>
  );
}
