// Puts a session's header, transcript and composer together.
import type { Content, Session } from '@toolyard/sdk';
import { useEffect, useMemo, useRef, useState } from 'react';
import { LeftWordsOf } from '../../asking/left-words.tsx';
import { SkeletonLines } from '../../parts/spinner.tsx';
import { useToast } from '../../parts/toast.tsx';
import { client } from '../../server/client.ts';
import { toProblem } from '../../server/problems.ts';
import type { SessionReading } from '../../server/session-view.ts';
import { AgentsStrip } from './agents-strip.tsx';
import { Announcer } from './announcer.tsx';
import { Composer, type ComposerHandle } from './composer.tsx';
import { ConversationHeader } from './conversation-header.tsx';
import type { Found } from './found.ts';
import { GuardedHead, GuardedTranscript } from './guarded.tsx';
import { NewConversation } from './new-conversation.tsx';
import { useOutbox } from './outbox.ts';
import { createRowMaker } from './rows.ts';
import { OpenSessionProvider } from './session-context.ts';
import { Transcript } from './transcript.tsx';
import { findLastEnd, toAnswer, toQuestion } from './turn-answer.ts';
import { useLookedAt } from './use-looked-at.ts';

export interface ConversationProps {
  sessionId: string;
  reading: SessionReading;
  session: Session | undefined;
  found: Found | undefined;
}

export function Conversation({ sessionId, reading, session, found }: ConversationProps) {
  const { view } = reading;
  const outgoing = useOutbox(sessionId);
  const [maker] = useState(createRowMaker);
  const isLoaded = useLoaded(reading, session, outgoing.length > 0);
  useLookedAt(sessionId, view, isLoaded);
  const rows = useMemo(
    () => (isLoaded ? maker.toRows(view, outgoing) : []),
    [maker, view, outgoing, isLoaded],
  );
  const composer = useRef<ComposerHandle>(null);
  const shown = useRef(view);
  shown.current = view;
  const { retry, isRetrying } = useRetry(sessionId);
  const isRunning = view.status === 'running' || view.status === 'waiting';
  const lastEndSeq = findLastEnd(view);
  const open = useMemo(
    () => ({
      ...{ sessionId, isRunning, retry, isRetrying, found, lastEndSeq, approvals: view.approvals },
      edit: (content: Content) => composer.current?.edit(content),
      readAnswer: (endSeq: number) => toAnswer(shown.current, endSeq),
      readQuestion: (endSeq: number) => toQuestion(shown.current, endSeq),
    }),
    [sessionId, isRunning, retry, isRetrying, found, lastEndSeq, view.approvals],
  );
  return (
    <OpenSessionProvider value={open}>
      <GuardedHead sessionId={sessionId}>
        <ConversationHeader sessionId={sessionId} session={session} view={view} />
        {isLoaded && <AgentsStrip agents={view.agents} />}
      </GuardedHead>
      {isLoaded ? (
        <GuardedTranscript rows={rows}>
          <Transcript rows={rows} found={found} empty={<NewConversation session={session} />} />
        </GuardedTranscript>
      ) : (
        <div className="mx-auto min-h-0 w-full max-w-3xl flex-1 px-6 py-8">
          <SkeletonLines count={6} label="Reading the conversation" />
        </div>
      )}
      {isLoaded && <LeftWordsOf sessionId={sessionId} asked={[...view.approvals, ...view.questions]} />}
      <Composer ref={composer} sessionId={sessionId} session={session} view={view} />
      <Announcer view={view} />
    </OpenSessionProvider>
  );
}

/** All that was there when it was opened has been read, so that it is drawn once and at its end. */
function useLoaded(
  { view, loaded, error }: SessionReading,
  session: Session | undefined,
  hasOutgoing: boolean,
): boolean {
  const [isLoaded, setIsLoaded] = useState(false);
  const isThere = session !== undefined && view.lastSeq >= session.lastSeq;
  const isDone = isLoaded || isThere || error !== undefined;
  useEffect(() => {
    if (isDone) setIsLoaded(true);
  }, [isDone]);
  // Whatever the server says of its length: what is there, or waits to be sent, is shown after a while.
  useEffect(() => {
    const timer = setTimeout(() => (loaded || hasOutgoing) && setIsLoaded(true), 2_500);
    return () => clearTimeout(timer);
  }, [loaded, hasOutgoing]);
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
