// One session in the list: what it is called, what it is doing, who does it, and what it cost.
import { Link } from '@tanstack/react-router';
import type { Session, SessionStatus } from '@toolyard/sdk';
import { type KeyboardEvent, memo, useEffect } from 'react';
import { openDialog } from '../navigation/dialogs.ts';
import { Money } from '../parts/amounts.tsx';
import { StatusDot } from '../parts/status-dot.tsx';
import { Time } from '../parts/time.tsx';
import { toTitle } from '../queries/session-title.ts';
import { SessionMenu } from './session-menu.tsx';
import { useFinishedMark } from './use-finished-mark.ts';

export interface SessionRowProps {
  session: Session;
  /** What is shown of it: whoever works under it may be the one that waits. */
  status: SessionStatus;
  onDelete(session: Session): void;
  onMenu(id: string, isOpen: boolean): void;
}

export const SessionRow = memo(function SessionRow({ session, status, onDelete, onMenu }: SessionRowProps) {
  const mark = useFinishedMark(session);
  const { id } = session;
  // A menu that goes with its row is not told to be closed.
  useEffect(() => () => onMenu(id, false), [id, onMenu]);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'F2') openDialog({ kind: 'rename', session });
    // A key that is held down would go through the whole list.
    if (event.key !== 'Delete' || event.repeat) return;
    focusNeighbour(event.currentTarget);
    onDelete(session);
  };
  return (
    <li className="session-row group relative">
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId: id }}
        data-list-item
        onKeyDown={onKeyDown}
        className="flex gap-2.5 rounded-lg py-1.5 pr-2 pl-2.5 -outline-offset-2 hover:bg-hover"
        activeProps={{ className: 'bg-raised shadow-xs ring-1 ring-line ring-inset' }}
      >
        <StatusDot status={(status === 'idle' && mark) || status} className="mt-1.75" />
        <span className="min-w-0 flex-1">
          <span
            title={toTitle(session)}
            dir="auto"
            className="block truncate text-left text-sm group-focus-within:pr-6 group-hover:pr-6 pointer-coarse:pr-8"
          >
            {toTitle(session)}
          </span>
          <span className="flex gap-1.5 text-xs text-faint">
            <span className="truncate">
              {session.role} · {session.engine}
            </span>
            <span className="ml-auto flex shrink-0 gap-1.5">
              {session.costUsd !== 0 && <Money usd={session.costUsd} knownUsd={session.knownUsd} short />}
              <Time at={session.updatedAt} />
            </span>
          </span>
        </span>
      </Link>
      <SessionMenu
        session={session}
        onOpenChange={(isOpen) => onMenu(id, isOpen)}
        className="absolute! top-1 right-1 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 focus-visible:opacity-100 data-[state=open]:opacity-100 pointer-coarse:opacity-100"
      />
    </li>
  );
});

/** What was deleted takes the focus with it: better that it goes to the next one. */
function focusNeighbour(item: HTMLElement): void {
  const items = [...(item.closest('nav')?.querySelectorAll<HTMLElement>('[data-list-item]') ?? [])];
  const at = items.indexOf(item);
  (items[at + 1] ?? items[at - 1])?.focus();
}
