// The left side: new session, screens, and all sessions. On a phone it is a drawer.
import { Link } from '@tanstack/react-router';
import { Bell, ListFilter, Search, SquarePen, X } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useDeferredValue, useEffect, useRef, useState } from 'react';
import { useNotificationPermission } from '../browser-apis/notifications.ts';
import { Button, IconButton } from '../controls/button.tsx';
import { inputClasses } from '../controls/field.tsx';
import { Kbd } from '../controls/kbd.tsx';
import { openDialog } from '../navigation/dialogs.ts';
import { Navigation } from '../navigation/navigation.tsx';
import { useGoToStart } from '../navigation/use-go-to-start.ts';
import { SessionList } from '../session-list/session-list.tsx';
import { Logo } from './logo.tsx';
import { SidebarFoot } from './sidebar-foot.tsx';

export function Sidebar({ waiting }: { waiting: number }) {
  const [filter, setFilter] = useState('');
  const shownFilter = useDeferredValue(filter.trim());
  const begin = useGoToStart();
  const list = useRef<HTMLDivElement>(null);
  const [entersFirst, setEntersFirst] = useState(false);
  const isDrawn = filter.trim() === shownFilter;
  // What is shown may still be of what was typed before.
  useEffect(() => {
    if (!entersFirst || !isDrawn) return;
    setEntersFirst(false);
    findFirst(list)?.click();
  }, [entersFirst, isDrawn]);
  return (
    <div className="flex h-full min-h-0 flex-col bg-sunken">
      <header className="flex h-13 shrink-0 items-center gap-1 pr-2 pl-4">
        <Link to="/" className="flex flex-1 items-center gap-2 rounded-md font-semibold tracking-tight">
          <Logo />
          Toolyard
        </Link>
        <IconButton
          label="Find"
          shortcut="mod+k"
          side="bottom"
          onClick={() => openDialog({ kind: 'palette' })}
        >
          <Search className="size-4" />
        </IconButton>
        <IconButton label="New session" shortcut="c" side="bottom" onClick={begin}>
          <SquarePen className="size-4" />
        </IconButton>
      </header>
      <Navigation waiting={waiting} extra={<NotifyMe waiting={waiting} />} />
      <div className="px-3 pt-3">
        <FilterField
          value={filter}
          onChange={setFilter}
          onDown={() => findFirst(list)?.focus()}
          onEnter={() => setEntersFirst(true)}
        />
      </div>
      <div ref={list} className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
        <SessionList
          filter={shownFilter}
          onExitTop={() => document.getElementById('session-filter')?.focus()}
        />
      </div>
      <SidebarFoot />
    </div>
  );
}

function findFirst({ current }: RefObject<HTMLElement | null>): HTMLElement | null | undefined {
  return current?.querySelector<HTMLElement>('[data-list-item]');
}

interface FilterFieldProps {
  value: string;
  onChange(value: string): void;
  onDown(): void;
  onEnter(): void;
}

function FilterField({ value, onChange, onDown, onEnter }: FilterFieldProps) {
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (event.nativeEvent.isComposing || ctrlKey || metaKey || altKey || shiftKey) return;
    if (key === 'Escape') value ? onChange('') : event.currentTarget.blur();
    if (key !== 'ArrowDown' && key !== 'Enter') return;
    event.preventDefault();
    key === 'Enter' ? onEnter() : onDown();
  };
  return (
    <search className="relative block">
      <ListFilter
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-faint"
        aria-hidden="true"
      />
      <input
        id="session-filter"
        type="text"
        aria-label="Filter sessions"
        placeholder="Filter sessions"
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        className={`${inputClasses} h-8 pr-8 pl-8.5`}
      />
      <span className="absolute top-1/2 right-1 flex -translate-y-1/2 items-center">
        {value ? (
          <IconButton label="Clear the filter" size="small" className="size-6!" onClick={() => onChange('')}>
            <X className="size-3.5" />
          </IconButton>
        ) : (
          <span className="pr-1.5">
            <Kbd keys="/" />
          </span>
        )}
      </span>
    </search>
  );
}

/** Offered when it would have helped: somebody is needed, and the browser was never asked. */
function NotifyMe({ waiting }: { waiting: number }) {
  const { permission, ask } = useNotificationPermission();
  if (waiting === 0 || permission !== 'default') return null;
  return (
    <Button
      variant="ghost"
      size="small"
      icon={<Bell className="size-3.5" />}
      className="mt-1 w-full justify-start!"
      onClick={() => void ask()}
    >
      Notify me of the next one
    </Button>
  );
}
