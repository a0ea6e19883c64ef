// One conversation: what was said and done, what is asked, and where to go on.
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef } from 'react';
import { useOutbox } from '../../drafts/outbox.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { useSession } from '../../server/session-view.ts';
import { useSessionInfo } from '../../server/sessions.ts';
import { Conversation } from './conversation.tsx';
import { GoneSession } from './gone-session.tsx';

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
  if (isGone(reading.error) || isGone(info.error))
    return <GoneSession sessionId={sessionId} session={info.data} />;
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

function isGone(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'session_not_found';
}
