// One conversation: what was said and done, what is asked, and where to go on.
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type Content, type Session, type SessionView, toVisibleLine } from '@toolyard/sdk';
import { MessagesSquare } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Composer, type ComposerHandle } from '../../composer/composer.tsx';
import { client } from '../../connection/client.ts';
import { toProblem } from '../../connection/problems.ts';
import { SkeletonLines } from '../../controls/spinner.tsx';
import { useToast } from '../../controls/toast.tsx';
import { AbandonedAnswersOf } from '../../decision-cards/abandoned-answer.tsx';
import { useOutbox } from '../../outbox/outbox.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { type SessionReading, useSession } from '../../queries/session-view.ts';
import { useSessionInfo } from '../../queries/sessions.ts';
import { toToolName } from '../../queries/tool-name.ts';
import { keepSeen } from '../../storage/seen-sessions.ts';
import { GuardedHead, GuardedTranscript } from '../../transcript/guarded.tsx';
import { Transcript } from '../../transcript/transcript.tsx';
import { findLastEnd, toAnswer, toQuestion } from '../../transcript/turn-answer.ts';
import { createRowMaker } from '../../transcript-rows/rows.ts';
import type { Found } from '../../transcript-rows/search-match.ts';
import { OpenSessionProvider } from '../../transcript-rows/session-context.ts';
import { AgentsStrip } from './agents-strip.tsx';
import { ConversationHeader } from './conversation-header.tsx';
import { DeletedSession } from './deleted-session.tsx';

export function ConversationScreen() {
  const { sessionId } = useParams({ from: '/sessions/$sessionId' });
  return <OneConversation key={sessionId} sessionId={sessionId} />;
}

function OneConversation({ sessionId }: { sessionId: string }) {
  const reading = useSession(sessionId);
  const info = useSessionInfo(sessionId);
  const { at, q } = useSearch({ from: '/sessions/$sessionId' });
  const found = useMemo(() => (at === undefined ? undefined : { seq: at, words: q ?? '' }), [at, q]);
  useWriteOn(sessionId);
  const error = reading.error ?? info.error ?? undefined;
  if (isNotFound(reading.error) || isNotFound(info.error))
    return <DeletedSession sessionId={sessionId} session={info.data} />;
  return (
    <main className="flex h-full min-h-0 flex-col">
      {error && (
        <ErrorNote
          error={error}
          title="This session could not be read"
          onRetry={() => location.reload()}
          className="m-4"
        />
      )}
      <Conversation sessionId={sessionId} reading={reading} session={info.data} found={found} />
    </main>
  );
}

/** Whoever writes on is done with what a search had found here: the address no longer leads back to it. */
function useWriteOn(sessionId: string): void {
  const navigate = useNavigate();
  const newest = useOutbox(sessionId).at(-1)?.key;
  const known = useRef(newest);
  useEffect(() => {
    if (newest === known.current) return;
    known.current = newest;
    if (newest && location.search)
      void navigate({ to: '/sessions/$sessionId', params: { sessionId }, search: {}, replace: true });
  }, [newest, navigate, sessionId]);
}

function isNotFound(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'session_not_found';
}

interface ConversationProps {
  sessionId: string;
  reading: SessionReading;
  session: Session | undefined;
  found: Found | undefined;
}

/** Puts a session's header, transcript and composer together. */
function Conversation({ sessionId, reading, session, found }: ConversationProps) {
  const { view } = reading;
  const outgoing = useOutbox(sessionId);
  const [maker] = useState(createRowMaker);
  const isLoaded = useLoaded(reading, session, outgoing.length > 0);
  useMarkSeen(sessionId, view, isLoaded);
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
      sessionId,
      isRunning,
      retry,
      isRetrying,
      found,
      lastEndSeq,
      approvals: view.approvals,
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
      {isLoaded && (
        <AbandonedAnswersOf sessionId={sessionId} asked={[...view.approvals, ...view.questions]} />
      )}
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

/** Says what changed to those who do not see it: not every word, but that it works, waits, or is done. */
function Announcer({ view }: { view: SessionView }) {
  return (
    <p role="status" className="sr-only">
      {formatStatus(view)}
    </p>
  );
}

function formatStatus({ status, approvals, questions, items }: SessionView): string {
  const [approval] = approvals;
  if (approval) return `Waits for your approval of ${toToolName(approval.tool).name}`;
  if (questions.length > 0) return 'The agent asks you something';
  if (status === 'running') return 'The agent is working';
  const last = items.at(-1);
  return last?.kind === 'end'
    ? `The turn ${last.outcome === 'limit' ? 'stopped at a limit' : `is ${last.outcome}`}`
    : '';
}

/** Before the first word. */
function NewConversation({ session }: { session: Session | undefined }) {
  return (
    <EmptyState
      icon={<MessagesSquare />}
      title="Nothing said yet"
      note={
        session && (
          <>
            You talk to the role <strong className="font-medium">{toVisibleLine(session.role)}</strong> in{' '}
            <code className="font-mono text-13 wrap-anywhere">{toVisibleLine(session.cwd)}</code>.
          </>
        )
      }
    />
  );
}

/** A conversation that is open in a window that somebody sees has been looked at, as far as it has been read. */
function useMarkSeen(sessionId: string, { lastSeq, items }: SessionView, isLoaded: boolean): void {
  const end = items.findLast(({ kind }) => kind === 'end');
  const hasFailed = end?.kind === 'end' && end.outcome === 'failed';
  useEffect(() => {
    const markSeen = () => {
      if (isLoaded && !document.hidden) keepSeen(sessionId, lastSeq, hasFailed);
    };
    markSeen();
    document.addEventListener('visibilitychange', markSeen);
    return () => document.removeEventListener('visibilitychange', markSeen);
  }, [sessionId, lastSeq, hasFailed, isLoaded]);
}
