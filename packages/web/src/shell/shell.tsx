// The frame of every screen: the side with sessions and screens, the state of the line, and the dialogs that any screen
// may open.
import { Link, Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { Inbox, Menu, SquarePen } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { useCallback, useEffect } from 'react';
import { useNotifications } from '../browser-apis/notifications.ts';
import { useMedia } from '../browser-apis/use-media.ts';
import { IconButton } from '../controls/button.tsx';
import { Dialog, overlayClasses } from '../controls/dialog.tsx';
import { Kbd } from '../controls/kbd.tsx';
import { useReturnFocus } from '../controls/return-focus.ts';
import { closeDialog, openDialog, useOpenDialog } from '../navigation/dialogs.ts';
import { screens } from '../navigation/navigation.tsx';
import { shortcuts, useShortcuts } from '../navigation/shortcuts.ts';
import { useGoToStart } from '../navigation/use-go-to-start.ts';
import { NewSessionDialog } from '../new-session/new-session-dialog.tsx';
import { Palette } from '../palette/palette.tsx';
import { CountBadge } from '../parts/badge.tsx';
import { Boundary, BrokenPart } from '../parts/boundary.tsx';
import { usePending } from '../queries/pending.ts';
import { toTitle } from '../queries/session-title.ts';
import { useNewestSessions, useSessionInfo } from '../queries/sessions.ts';
import { RenameDialog } from '../session-list/rename-dialog.tsx';
import { useEarlierDeletions } from '../session-list/use-session-actions.ts';
import { ConnectionNote } from './connection-note.tsx';
import { LoggedOut } from './logged-out.tsx';
import { Sidebar } from './sidebar.tsx';
import { useNextPending } from './use-next-pending.ts';
import { useUnsentNotices } from './use-unsent-notices.ts';

export function Shell() {
  const { count } = usePending();
  const navigate = useNavigate();
  const { href } = useLocation();
  const isWide = useMedia('(width >= 48rem)');
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever went elsewhere is done with it
  useEffect(closeDialog, [href]);
  usePageTitle(count);
  useNewestSessions();
  useShortcuts();
  useNextPending();
  useEarlierDeletions();
  useUnsentNotices();
  useNotifications(useCallback(() => void navigate({ to: '/inbox' }), [navigate]));
  return (
    <div className="flex h-dvh">
      <a
        href="#content"
        className="sr-only z-60 rounded-lg bg-accent px-3 py-1.5 text-sm text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to the content
      </a>
      {isWide && (
        <aside aria-label="Sessions and screens" className="w-72 shrink-0 border-r">
          <Boundary
            of={href}
            fallback={(error) => <BrokenPart error={error} title="The sessions cannot be shown" />}
          >
            <Sidebar waiting={count} />
          </Boundary>
        </aside>
      )}
      <div className="flex min-w-0 flex-1 flex-col">
        {!isWide && <PhoneBar waiting={count} />}
        <ConnectionNote />
        <div id="content" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto outline-none">
          <Outlet />
        </div>
      </div>
      <Boundary of={href} fallback={() => null}>
        <ShownDialog waiting={count} />
      </Boundary>
      <LoggedOut />
    </div>
  );
}

/** The dialog that is open, whichever screen has asked for it. */
function ShownDialog({ waiting }: { waiting: number }) {
  const dialog = useOpenDialog();
  if (dialog?.kind === 'newSession') return <NewSessionDialog onClose={closeDialog} />;
  if (dialog?.kind === 'rename') return <RenameDialog session={dialog.session} onClose={closeDialog} />;
  if (dialog?.kind === 'shortcuts') return <ShortcutsDialog onClose={closeDialog} />;
  if (dialog?.kind === 'palette') return <Palette />;
  return dialog?.kind === 'drawer' ? <Drawer waiting={waiting} /> : null;
}

/** The side on a phone: it comes from the left and goes when a place was chosen. */
function Drawer({ waiting }: { waiting: number }) {
  return (
    <Radix.Root open onOpenChange={(open) => open || closeDialog()}>
      <Radix.Portal>
        <Radix.Overlay className={`${overlayClasses} md:hidden`} />
        <Radix.Content
          aria-describedby={undefined}
          {...useReturnFocus('content')}
          className="drawer fixed inset-y-0 left-0 z-50 w-[min(20rem,86vw)] border-r shadow-2xl outline-none md:hidden"
        >
          <Radix.Title className="sr-only">Sessions and screens</Radix.Title>
          <Sidebar waiting={waiting} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** All keys at a glance. */
function ShortcutsDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title="Keys" width="medium">
      <div className="grid gap-x-8 gap-y-4 pb-2 sm:grid-cols-2">
        {shortcuts.map((group) => (
          <section key={group.name}>
            <h3 className="mb-1 text-xs font-medium text-faint">{group.name}</h3>
            <dl>
              {group.shortcuts.map(({ keys, does }) => (
                <div key={keys} className="flex items-center gap-3 border-b py-1.5 text-sm last:border-0">
                  <dt className="order-2 flex gap-1">
                    {keys.split(' ').map((part) => (
                      <Kbd key={part} keys={part} />
                    ))}
                  </dt>
                  <dd className="order-1 flex-1 text-soft">{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

/** The top of the page on a phone: the way to the side, where we are, and who waits. */
function PhoneBar({ waiting }: { waiting: number }) {
  const place = usePlace();
  const begin = useGoToStart();
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

/** The name of the session or screen that is on the page. */
function usePlace(): string | undefined {
  const { pathname } = useLocation();
  const { sessionId } = useParams({ strict: false });
  const { data: session } = useSessionInfo(sessionId);
  if (sessionId) return session ? toTitle(session) : undefined;
  return screens.find(({ to }) => pathname.startsWith(to))?.name;
}

/** The window's title: how many answers are awaited, where we are, and whose page this is. */
function usePageTitle(waiting: number): void {
  const place = usePlace();
  useEffect(() => {
    const name = place ? `${place} · Toolyard` : 'Toolyard';
    document.title = waiting > 0 ? `(${waiting}) ${name}` : name;
  }, [place, waiting]);
}
