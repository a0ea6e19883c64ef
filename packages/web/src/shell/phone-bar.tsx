// The top of the page on a phone: the way to the side, where we are, and who waits.
import { Link } from '@tanstack/react-router';
import { Inbox, Menu, SquarePen } from 'lucide-react';
import { IconButton } from '../controls/button.tsx';
import { openDialog } from '../navigation/dialogs.ts';
import { usePlace } from '../navigation/page-title.ts';
import { useBegin } from '../navigation/use-begin.ts';
import { CountBadge } from '../parts/badge.tsx';

export function PhoneBar({ waiting }: { waiting: number }) {
  const place = usePlace();
  const begin = useBegin();
  return (
    <header className="flex h-12 shrink-0 items-center gap-1 border-b bg-sunken px-2">
      <IconButton label="Sessions and screens" size="large" onClick={() => openDialog({ kind: 'drawer' })}>
        <Menu className="size-5" />
      </IconButton>
      <span title={place} dir="auto" className="min-w-0 flex-1 truncate text-sm font-medium">
        {place ?? 'Toolyard'}
      </span>
      <Link
        to="/inbox"
        className="flex h-10 min-w-10 items-center justify-center gap-1 rounded-lg px-2 text-soft"
      >
        <Inbox className="size-5" aria-hidden="true" />
        <span className="sr-only">Inbox</span>
        <CountBadge count={waiting} label="waiting for you" />
      </Link>
      <IconButton label="New session" size="large" onClick={begin}>
        <SquarePen className="size-5" />
      </IconButton>
    </header>
  );
}
