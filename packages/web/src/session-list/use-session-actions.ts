// What can be done with a session from a list: open, fork, delete with a way back.
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { Session } from '@toolyard/sdk';
import { useEffect } from 'react';
import { toProblem } from '../connection/problems.ts';
import { type ToastContent, useToast } from '../controls/toast.tsx';
import { forkSession } from '../queries/session-actions.ts';
import { toTitle } from '../queries/session-title.ts';
import { keepSession } from '../queries/sessions.ts';
import {
  type Deletion,
  startDeletion,
  takeEarlierDeletions,
  undoDeletions,
  undoTimeoutMs,
} from './deletions.ts';

export function useSessionActions() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const { sessionId: openId } = useParams({ strict: false });

  const open = (id: string) => void navigate({ to: '/sessions/$sessionId', params: { sessionId: id } });
  const fail = (title: string) => (thrown: unknown) =>
    void toast({ tone: 'bad', title, note: toSentence(thrown) });

  async function fork(session: Session): Promise<void> {
    try {
      const made = await forkSession(session.id);
      keepSession(queries, made);
      toast({ tone: 'good', title: 'Forked', note: 'You are in the copy. The original stays as it is.' });
      open(made.id);
    } catch (thrown) {
      fail('It could not be forked')(thrown);
    }
  }

  const undo = () => {
    const wasOpen = undoDeletions().findLast((one) => one.wasOpen);
    if (wasOpen) open(wasOpen.id);
  };

  function hide(deletion: Deletion): void {
    startDeletion(queries, deletion, {
      tell: (all) =>
        toast({
          ...formatDeleted(all),
          // Longer than the wait: the end of the wait closes it, even where hovering holds it.
          durationMs: 2 * undoTimeoutMs,
          action: { label: 'Undo', onSelect: undo },
        }),
      onFailed: (thrown, count) =>
        fail(`${count === 1 ? 'It' : `${count} sessions`} could not be deleted`)(thrown),
    });
  }

  function remove({ id, title, status }: Session): void {
    const wasOpen = id === openId;
    if (wasOpen) void navigate({ to: '/' });
    hide({ id, title, wasOpen, wasBusy: status === 'running' || status === 'waiting' });
  }

  return { open, fork, remove, hide };
}

function formatDeleted(all: readonly Deletion[]): Pick<ToastContent, 'title' | 'note'> {
  const title = all.length === 1 && all[0] ? `“${toTitle(all[0])}”` : `${all.length} sessions`;
  const busy = all.filter(({ wasBusy }) => wasBusy).length;
  const who = all.length === 1 ? 'It is' : busy === 1 ? 'One is' : 'Some are';
  const note = `${who} still at work. Unless you undo this, ${busy > 1 ? 'they are' : 'it is'} interrupted in a moment.`;
  return { title: `Deleted ${title}`, ...(busy > 0 && { note }) };
}

function toSentence(thrown: unknown): string {
  const { message, advice } = toProblem(thrown);
  return advice ? `${message} ${advice}` : message;
}

/** After a reload: what was about to be deleted is told again, and can still be taken back. */
export function useEarlierDeletions(): void {
  const { hide } = useSessionActions();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page begins
  useEffect(() => {
    void takeEarlierDeletions().then((earlier) => earlier.forEach(hide));
  }, []);
}
