// A session that is not there, or no more. What was written for it is, and can be taken elsewhere.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { CreateSession, Session } from '@toolyard/sdk';
import { FileText, MessageSquareDashed, MessageSquareShare, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../connection/client.ts';
import { Button } from '../../controls/button.tsx';
import { CopyButton } from '../../controls/copy-button.tsx';
import { AbandonedAnswersOf } from '../../decision-cards/abandoned-answer.tsx';
import { dropUnsent, moveUnsent, readUnsent, type Unsent } from '../../outbox/unsent.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { keepSession } from '../../queries/sessions.ts';
import { PlainText } from '../../text/plain-text.tsx';

export interface DeletedSessionProps {
  sessionId: string;
  /** As it was, if this page knows. */
  session: Session | undefined;
}

export function DeletedSession({ sessionId, session }: DeletedSessionProps) {
  const [unsent, setUnsent] = useState(() => readUnsent(sessionId));
  const isEmpty = unsent.text === '' && unsent.parts.length === 0;
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
      <AbandonedAnswersOf sessionId={sessionId} asked={[]} />
      {!isEmpty && (
        <Leftover
          sessionId={sessionId}
          session={session}
          unsent={unsent}
          onDiscard={() => {
            dropUnsent(sessionId);
            setUnsent({ text: '', parts: [] });
          }}
        />
      )}
    </main>
  );
}

interface LeftoverProps extends DeletedSessionProps {
  unsent: Unsent;
  onDiscard(): void;
}

function Leftover({ sessionId, session, unsent: { text, parts }, onDiscard }: LeftoverProps) {
  const carry = useCarry(sessionId, session);
  return (
    <section
      aria-labelledby="leftover"
      className="mx-auto mb-8 flex max-w-2xl flex-col gap-3 border-t px-4 pt-6 sm:px-6"
    >
      <h2 id="leftover" className="font-medium">
        What you wrote here was not sent. It is still yours:
      </h2>
      {text && <PlainText text={text} label="What you wrote" className="font-sans! text-15!" />}
      {parts.length > 0 && (
        <p className="flex items-center gap-2 text-sm text-soft">
          <FileText className="size-4 text-faint" aria-hidden="true" />
          {parts.length === 1 ? '1 image or file goes' : `${parts.length} images and files go`} along.
        </p>
      )}
      {carry.error && <ErrorNote error={carry.error} title="A new session could not be begun" />}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          variant="primary"
          icon={<MessageSquareShare className="size-4" />}
          busy={carry.isPending}
          onClick={() => carry.mutate()}
        >
          Take it to a new session
        </Button>
        {text && <CopyButton text={text} label="Copy the words" />}
        <Button variant="ghost" icon={<Trash2 className="size-4" />} onClick={onDiscard}>
          Discard
        </Button>
      </div>
    </section>
  );
}

/** A new session like the old one, with the words in its composer: sending them is up to the person. */
function useCarry(sessionId: string, session: Session | undefined) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => client.sessions.create(toSame(session)),
    onSuccess(made) {
      moveUnsent(sessionId, made.id);
      keepSession(queries, made);
      void navigate({ to: '/sessions/$sessionId', params: { sessionId: made.id } });
    },
  });
}

function toSame(session: Session | undefined): CreateSession {
  if (!session || session.engine === 'direct') return {};
  const { role, engine, cwd, mode } = session;
  // What asks nobody is chosen anew, by a person who means it.
  return { role, engine, cwd, ...(mode !== 'bypassPermissions' && { mode }) };
}
