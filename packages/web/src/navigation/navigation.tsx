// The way to every screen.
import { Link } from '@tanstack/react-router';
import { Bot, ChartColumn, Inbox, ListTodo, Settings, ShieldCheck, Wrench } from 'lucide-react';
import type { ReactNode } from 'react';
import { Kbd } from '../controls/kbd.tsx';
import { CountBadge } from '../parts/badge.tsx';

export const screens = [
  { to: '/inbox', name: 'Inbox', key: 'i', icon: <Inbox /> },
  { to: '/agents', name: 'Agents', key: 'n', icon: <Bot /> },
  { to: '/tasks', name: 'Tasks', key: 'k', icon: <ListTodo /> },
  { to: '/tools', name: 'Tools', key: 't', icon: <Wrench /> },
  { to: '/audit', name: 'Audit', key: 'a', icon: <ShieldCheck /> },
  { to: '/usage', name: 'Usage', key: 'u', icon: <ChartColumn /> },
  { to: '/settings', name: 'Settings', key: 's', icon: <Settings /> },
] as const;

export function Navigation({ waiting, extra }: { waiting: number; extra?: ReactNode }) {
  return (
    <nav aria-label="Screens" className="px-2">
      <ul className="flex flex-col gap-px">
        {screens.map(({ to, name, icon }) => (
          <li key={to} className="relative">
            <Link
              to={to}
              className="flex h-8 items-center gap-2.5 rounded-lg px-2.5 text-sm text-soft -outline-offset-2 hover:bg-hover hover:text-ink [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-faint"
              activeProps={{
                className: 'bg-raised font-medium text-ink shadow-xs ring-1 ring-line ring-inset',
              }}
            >
              {icon}
              <span className="flex-1">{name}</span>
              {to === '/inbox' && waiting > 0 && (
                <span aria-hidden="true" className="pointer-coarse:hidden" title="Go to the next one">
                  <Kbd keys="mod+j" />
                </span>
              )}
              {to === '/inbox' && <CountBadge count={waiting} label="waiting for you" />}
            </Link>
          </li>
        ))}
      </ul>
      {extra}
    </nav>
  );
}
