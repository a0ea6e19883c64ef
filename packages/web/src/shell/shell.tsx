// The frame of every screen: the side with sessions and screens, the state of the line, and the dialogs that any screen
// may open.
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect } from 'react';
import { useNotifications } from '../browser/notifications.ts';
import { useMedia } from '../browser/use-media.ts';
import { closeDialog } from '../navigation/dialogs.ts';
import { usePageTitle } from '../navigation/page-title.ts';
import { useShortcuts } from '../navigation/shortcuts.ts';
import { Boundary } from '../parts/boundary.tsx';
import { BrokenPart } from '../parts/broken-part.tsx';
import { usePending } from '../server/pending.ts';
import { useNewestSessions } from '../server/sessions.ts';
import { useEarlierDeletions } from '../session-list/use-earlier-deletions.ts';
import { ConnectionNote } from './connection-note.tsx';
import { LoggedOut } from './logged-out.tsx';
import { PhoneBar } from './phone-bar.tsx';
import { ShownDialog } from './shown-dialog.tsx';
import { Sidebar } from './sidebar.tsx';
import { useLeftWords } from './use-left-words.ts';
import { useNextAsked } from './use-next-asked.ts';

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
  useNextAsked();
  useEarlierDeletions();
  useLeftWords();
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
