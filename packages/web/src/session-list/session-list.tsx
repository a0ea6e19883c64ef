// All sessions: those that wait for a person and those at work, then the others, newest first; more are read as the end
// comes near. Typing narrows what is read; the server is asked for what was said in them.
import type { Session } from '@toolyard/sdk';
import { Eye, EyeOff, MessageSquarePlus } from 'lucide-react';
import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { serverNow } from '../connection/clock.ts';
import { Button } from '../controls/button.tsx';
import { moveInList } from '../controls/list-keys.ts';
import { SkeletonLines, Spinner } from '../controls/spinner.tsx';
import { openDialog } from '../navigation/dialogs.ts';
import { InlineCode } from '../parts/code.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { SearchResults } from './search-results.tsx';
import { matches, toGroups, toShownStatus } from './session-groups.ts';
import { SessionRow } from './session-row.tsx';
import { useFoundSessions, useListed } from './use-listed.ts';
import { useSessionActions } from './use-session-actions.ts';

export interface SessionListProps {
  filter: string;
  /** The arrow that leads up was pressed on the first of them. */
  onExitTop(): void;
}

export function SessionList({ filter, onExitTop }: SessionListProps) {
  const { remove } = useSessionActions();
  const [showsDirect, setShowsDirect] = useState(false);
  const { query, asking, sessions, isEmpty, directCount } = useListed(showsDirect);
  const { data, error, isPending, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = query;
  const list = useRef<HTMLElement>(null);
  const keepFocus = useKeepFocus(list);
  const [menuOf, setMenuOf] = useState<string>();
  const onMenu = useCallback(
    (id: string, isOpen: boolean) => setMenuOf((now) => (isOpen ? id : now === id ? undefined : now)),
    [],
  );
  const found = useFoundSessions(filter);
  const shown = filter
    ? addNew(
        sessions.filter((session) => matches(session, filter)),
        found.sessions,
      )
    : sessions;
  // A row that goes to another group is drawn anew: not under somebody's open menu.
  const groups = useHeld(toGroups(shown, serverNow(), asking), menuOf !== undefined);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    moveInList(event);
    const first = event.currentTarget.querySelector('[data-list-item]');
    if (event.key === 'ArrowUp' && event.target === first) onExitTop();
  };

  if (error && !data)
    return <ErrorNote error={error} title="No sessions" onRetry={() => void refetch()} className="m-2" />;
  if (isPending)
    return (
      <div className="px-3">
        <SkeletonLines count={6} label="Loading sessions" />
      </div>
    );
  if (isEmpty && !hasNextPage) return <NoSessions />;
  return (
    <nav ref={list} aria-label="Sessions" onKeyDown={onKeyDown} {...keepFocus} className="px-2 pb-2">
      {groups.map((group) => (
        <Group key={group.name} {...group} asking={asking} onDelete={remove} onMenu={onMenu} />
      ))}
      {filter && shown.length === 0 && !found.isLooking && (
        <p className="px-2.5 pt-3 text-13 text-faint">No session is called “{filter}”.</p>
      )}
      {hasNextPage && (
        <More
          busy={isFetchingNextPage}
          count={sessions.length}
          isByHand={filter !== ''}
          onMore={() => void fetchNextPage()}
        />
      )}
      {filter.length > 1 && <SearchResults filter={filter} />}
      {directCount > 0 && <DirectSwitch count={directCount} isOn={showsDirect} onChange={setShowsDirect} />}
    </nav>
  );
}

interface GroupProps {
  name: string;
  sessions: readonly Session[];
  asking: ReadonlySet<string>;
  onDelete(session: Session): void;
  onMenu(id: string, isOpen: boolean): void;
}

function Group({ name, sessions, asking, onDelete, onMenu }: GroupProps) {
  return (
    <section aria-label={name}>
      <h3 className="px-2.5 pt-3 pb-1 text-xs font-medium text-faint">{name}</h3>
      <ul className="flex flex-col gap-px">
        {sessions.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            status={toShownStatus(session, asking)}
            onDelete={onDelete}
            onMenu={onMenu}
          />
        ))}
      </ul>
    </section>
  );
}

/** As it was when this began to be held. */
function useHeld<Value>(value: Value, isHeld: boolean): Value {
  const kept = useRef(value);
  if (!isHeld) kept.current = value;
  return kept.current;
}

function addNew(some: readonly Session[], more: readonly Session[]): Session[] {
  const known = new Set(some.map(({ id }) => id));
  return [...some, ...more.filter(({ id }) => !known.has(id))];
}

interface MoreProps {
  busy: boolean;
  count: number;
  /** The server has looked through all names: what was not read is read only for who asks. */
  isByHand: boolean;
  onMore(): void;
}

/** Reads on when it comes into view; also a button, for when it does not. */
function More({ busy, count, isByHand, onMore }: MoreProps) {
  const place = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each page the end may still be in view
  useEffect(() => {
    if (!place.current || busy || isByHand) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && onMore(), {
      rootMargin: '400px',
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [busy, count, isByHand]);
  return (
    <div ref={place} className="flex justify-center py-3">
      {busy ? (
        <Spinner label="Loading more" />
      ) : (
        <Button size="small" variant="ghost" onClick={onMore}>
          Load more
        </Button>
      )}
    </div>
  );
}

interface DirectSwitchProps {
  count: number;
  isOn: boolean;
  onChange(isOn: boolean): void;
}

/** What was made for a single call is evidence, not a conversation: it is there for who asks for it. */
function DirectSwitch({ count, isOn, onChange }: DirectSwitchProps) {
  const Icon = isOn ? EyeOff : Eye;
  return (
    <Button
      size="small"
      variant="ghost"
      icon={<Icon className="size-3.5" />}
      aria-pressed={isOn}
      className="mt-2 w-full justify-start!"
      onClick={() => onChange(!isOn)}
    >
      {isOn ? 'Hide single tool calls' : `Show ${count} single tool ${count === 1 ? 'call' : 'calls'}`}
    </Button>
  );
}

function NoSessions() {
  return (
    <EmptyState
      icon={<MessageSquarePlus />}
      title="No sessions yet"
      note={
        <>
          Begin one here, or with <InlineCode text="run" /> in a terminal: it shows up in this list.
        </>
      }
      actions={
        <Button size="small" onClick={() => openDialog({ kind: 'newSession' })}>
          New session
        </Button>
      }
    />
  );
}

/** A row that goes to another group of its list is drawn anew: whoever had the focus on it keeps it. */
function useKeepFocus(list: RefObject<HTMLElement | null>) {
  const address = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (!address.current || document.activeElement !== document.body) return;
    list.current
      ?.querySelector<HTMLElement>(`a[href="${CSS.escape(address.current)}"]`)
      ?.focus({ preventScroll: true });
  });
  return {
    onFocus: ({ target }: FocusEvent) => {
      address.current = target instanceof HTMLAnchorElement ? target.getAttribute('href') : null;
    },
    // What a drawing takes away is not told: only who goes elsewhere is.
    onBlur: () => {
      address.current = null;
    },
  };
}
