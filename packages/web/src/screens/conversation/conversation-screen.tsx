// One conversation: what was said and done, what is asked, and where to go on.
import { Link, useParams } from '@tanstack/react-router';
import { MessageSquareDashed } from 'lucide-react';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { useSession } from '../../server/session-view.ts';
import { useSessionInfo } from '../../server/sessions.ts';
import { Conversation } from './conversation.tsx';

export function ConversationScreen() {
  const { sessionId } = useParams({ from: '/sessions/$sessionId' });
  return <OneConversation key={sessionId} sessionId={sessionId} />;
}

function OneConversation({ sessionId }: { sessionId: string }) {
  const reading = useSession(sessionId);
  const info = useSessionInfo(sessionId);
  const error = reading.error ?? info.error ?? undefined;
  if (isGone(reading.error) || isGone(info.error)) return <Gone />;
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
      <Conversation sessionId={sessionId} reading={reading} session={info.data} />
    </main>
  );
}

function isGone(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'session_not_found';
}

function Gone() {
  return (
    <main className="h-full overflow-auto">
      <EmptyState
        icon={<MessageSquareDashed />}
        title="This session is not there"
        note="It was deleted, here or elsewhere, or its address is wrong."
        actions={
          <Link to="/" className="text-sm font-medium text-accent underline underline-offset-2">
            Begin a new one
          </Link>
        }
      />
    </main>
  );
}
