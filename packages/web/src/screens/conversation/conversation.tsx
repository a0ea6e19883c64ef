// Puts a session's header, transcript and composer together.
import type { Session } from '@toolyard/sdk';
import { useEffect, useMemo, useRef, useState } from 'react';
import { SkeletonLines } from '../../parts/spinner.tsx';
import { useToast } from '../../parts/toast.tsx';
import { client } from '../../server/client.ts';
import { toProblem } from '../../server/problems.ts';
import type { SessionReading } from '../../server/session-view.ts';
import { Announcer } from './announcer.tsx';
import { Composer, type ComposerHandle } from './composer.tsx';
import { ConversationHeader } from './conversation-header.tsx';
import { NewConversation } from './new-conversation.tsx';
import { useOutbox } from './outbox.ts';
import { createRowMaker } from './rows.ts';
import { OpenSessionProvider } from './session-context.ts';
import { Transcript } from './transcript.tsx';
import { toAnswer } from './turn-answer.ts';

export interface ConversationProps {
  sessionId: string;
  reading: SessionReading;
  session: Session | undefined;
}

export function Conversation({ sessionId, reading, session }: ConversationProps) {
  const { view } = reading;
  const outgoing = useOutbox(sessionId);
  const [maker] = useState(createRowMaker);
  const isLoaded = useLoaded(reading, session);
  const rows = useMemo(
    () => (isLoaded ? maker.toRows(view, outgoing) : []),
    [maker, view, outgoing, isLoaded],
  );
  const composer = useRef<ComposerHandle>(null);
  const shown = useRef(view);
  shown.current = view;
  const { retry, isRetrying } = useRetry(sessionId);
  const isRunning = view.status === 'running' || view.status === 'waiting';
  const open = useMemo(
    () => ({
      ...{ sessionId, isRunning, retry, isRetrying, approvals: view.approvals },
      edit: (text: string) => composer.current?.edit(text),
      readAnswer: (endSeq: number) => toAnswer(shown.current, endSeq),
    }),
    [sessionId, isRunning, retry, isRetrying, view.approvals],
  );
  return (
    <OpenSessionProvider value={open}>
      <ConversationHeader sessionId={sessionId} session={session} view={view} />
      {isLoaded ? (
        <Transcript rows={rows} empty={<NewConversation session={session} />} />
      ) : (
        <div className="mx-auto min-h-0 w-full max-w-3xl flex-1 px-6 py-8">
          <SkeletonLines count={6} label="Reading the conversation" />
        </div>
      )}
      <Composer ref={composer} sessionId={sessionId} session={session} view={view} />
      <Announcer view={view} />
    </OpenSessionProvider>
  );
}

/** All that was there when it was opened has been read, so that it is drawn once and at its end. */
function useLoaded({ view, loaded, error }: SessionReading, session: Session | undefined): boolean {
  const [isLoaded, setIsLoaded] = useState(false);
  const isThere = session !== undefined && view.lastSeq >= session.lastSeq;
  const isDone = isLoaded || isThere || error !== undefined;
  useEffect(() => {
    if (isDone) setIsLoaded(true);
  }, [isDone]);
  // Whatever the server says of its length: what is there is shown after a while.
  useEffect(() => {
    const timer = setTimeout(() => setIsLoaded(loaded), 2_500);
    return () => clearTimeout(timer);
  }, [loaded]);
  return isDone;
}

function useRetry(sessionId: string) {
  const toast = useToast();
  const [isRetrying, setIsRetrying] = useState(false);
  const retry = useMemo(
    () => async () => {
      setIsRetrying(true);
      try {
        await client.sessions.retry(sessionId);
      } catch (thrown) {
        toast({ tone: 'bad', title: 'It could not be retried', note: toProblem(thrown).message });
      } finally {
        setIsRetrying(false);
      }
    },
    [sessionId, toast],
  );
  return { retry: useMemo(() => () => void retry(), [retry]), isRetrying };
}
