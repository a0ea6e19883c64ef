// What the palette offers: actions, screens, sessions, work under way.
import { useNavigate } from '@tanstack/react-router';
import type { Session } from '@toolyard/sdk';
import { Bell, Home, Keyboard, LogOut, Monitor, Moon, Plus, Sun, TextSearch } from 'lucide-react';
import type { ReactNode } from 'react';
import { useNotificationPermission } from '../browser-apis/notifications.ts';
import { setTheme } from '../browser-apis/theme.ts';
import { logOut } from '../connection/connection-state.ts';
import { toProblem } from '../connection/problems.ts';
import { useToast } from '../controls/toast.tsx';
import { openDialog } from '../navigation/dialogs.ts';
import { visitFound } from '../navigation/found-visits.ts';
import { screens } from '../navigation/navigation.tsx';
import { StatusDot } from '../parts/status-dot.tsx';
import { useSearch } from '../queries/search.ts';
import { toTitle } from '../queries/session-title.ts';
import { useSessions } from '../queries/sessions.ts';
import { useHiddenSessions } from '../session-list/deletions.ts';
import { isDirect, isDrafted } from '../session-list/session-groups.ts';
import { Snippet } from '../session-list/snippet.tsx';
import { useFoundSessions } from '../session-list/use-listed.ts';
import type { PaletteEntry } from './palette-entry.ts';
import { useSessionCommands, useWorkEntries } from './palette-work.tsx';

/** What fits the words, the best first; then what the server found in sessions. */
export function usePaletteEntries(query: string): { entries: PaletteEntry[]; isLooking: boolean } {
  const here = [...useSessionCommands(), ...useActions(), ...useScreens()];
  const entries = [...here, ...useSessionEntries(), ...useWorkEntries()];
  const { sessions, isLooking } = useFoundSessions(query);
  const toEntry = useToEntry();
  const found = [...sessions.map(toEntry), ...useFound(query)];
  return { entries: [...rank(entries, query), ...found], isLooking };
}

function useFound(query: string): PaletteEntry[] {
  const navigate = useNavigate();
  const hits = useSearch(query).data?.items ?? [];
  return hits
    .filter(({ kind }) => query !== '' && kind !== 'title')
    .map(
      (hit): PaletteEntry => ({
        id: `${hit.sessionId} ${hit.seq}`,
        group: 'Said in sessions',
        name: <Snippet hit={hit} />,
        note: <span className="block max-w-36 truncate">{toTitle(hit)}</span>,
        icon: <TextSearch />,
        run() {
          visitFound();
          void navigate({
            to: '/sessions/$sessionId',
            params: { sessionId: hit.sessionId },
            search: { at: hit.seq, q: query.trim() },
          });
        },
      }),
    );
}

function useActions(): PaletteEntry[] {
  const { permission, ask } = useNotificationPermission();
  const toast = useToast();
  const leave = () =>
    void logOut().catch((thrown: unknown) =>
      toast({ tone: 'bad', title: 'You are still logged in', note: toProblem(thrown).message }),
    );
  const make = (id: string, name: string, icon: ReactNode, run: () => void): PaletteEntry => ({
    id,
    name,
    icon,
    run,
    group: 'Do',
  });
  const entries = [
    make('new', 'New session…', <Plus />, () => openDialog({ kind: 'newSession' })),
    make('keys', 'Show keys', <Keyboard />, () => openDialog({ kind: 'shortcuts' })),
    make('light', 'Theme: light', <Sun />, () => setTheme('light')),
    make('dark', 'Theme: dark', <Moon />, () => setTheme('dark')),
    make('system', 'Theme: as the system', <Monitor />, () => setTheme('system')),
    make('logout', 'Log out', <LogOut />, leave),
  ];
  const bell = make('notify', 'Turn on notifications', <Bell />, () => void ask());
  return permission === 'default' ? [...entries, bell] : entries;
}

function useScreens(): PaletteEntry[] {
  const navigate = useNavigate();
  const start: PaletteEntry = {
    id: 'start',
    group: 'Go to',
    name: 'Start',
    icon: <Home />,
    shortcut: 'g h',
    run: () => void navigate({ to: '/' }),
  };
  const rest = screens.map(
    ({ to, name, icon, key }): PaletteEntry => ({
      id: to,
      group: 'Go to',
      name,
      icon,
      shortcut: `g ${key}`,
      run: () => void navigate({ to }),
    }),
  );
  return [start, ...rest];
}

function useSessionEntries(): PaletteEntry[] {
  const hidden = useHiddenSessions();
  const toEntry = useToEntry();
  const sessions = (useSessions().data?.pages ?? []).flatMap((page) => page.items);
  return sessions
    .filter((session) => !hidden.has(session.id) && !isDirect(session) && !isDrafted(session))
    .map(toEntry);
}

function useToEntry(): (session: Session) => PaletteEntry {
  const navigate = useNavigate();
  return ({ id, title, role, engine, status }) => ({
    id,
    group: 'Sessions',
    name: toTitle({ title }),
    note: `${role} · ${engine}`,
    icon: <StatusDot status={status} className="mx-1" />,
    run: () => void navigate({ to: '/sessions/$sessionId', params: { sessionId: id } }),
  });
}

/** The best first: a name that begins with it, then a word that does, then any place. */
function rank(entries: readonly PaletteEntry[], query: string): PaletteEntry[] {
  const wanted = query.trim().toLowerCase();
  if (!wanted) return [...entries];
  const scored = entries.map((entry) => ({
    entry,
    score: toScore(String(entry.name).toLowerCase(), wanted),
  }));
  return scored
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ entry }) => entry);
}

function toScore(name: string, wanted: string): number {
  if (name.startsWith(wanted)) return 3;
  if (name.includes(` ${wanted}`)) return 2;
  return wanted.split(/\s+/).every((word) => name.includes(word)) ? 1 : 0;
}
