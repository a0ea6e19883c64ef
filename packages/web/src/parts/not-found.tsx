// An address that no screen has.
import { Link, useLocation } from '@tanstack/react-router';
import { toVisibleLine } from '@toolyard/sdk';
import { MapPinOff } from 'lucide-react';
import { EmptyState } from './empty-state.tsx';

export function NotFound() {
  const { pathname } = useLocation();
  return (
    <main className="h-full overflow-auto">
      <EmptyState
        icon={<MapPinOff />}
        title={<h1>There is nothing here</h1>}
        note={
          <>
            No screen has the address{' '}
            <code className="font-mono text-13 wrap-anywhere">{toVisibleLine(pathname.slice(0, 200))}</code>.
          </>
        }
        actions={
          <Link to="/" className="text-sm font-medium text-accent underline underline-offset-2">
            To the start
          </Link>
        }
      />
    </main>
  );
}
