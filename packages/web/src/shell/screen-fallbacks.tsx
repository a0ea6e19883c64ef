// What stands in place of a screen: while it is being loaded, when it broke, and where there is none.

import { Link, useLocation } from '@tanstack/react-router';
import { toVisibleLine } from '@toolyard/sdk';
import { MapPinOff, TriangleAlert } from 'lucide-react';
import { NotLoaded } from '../browser-apis/lazy-screens.ts';
import { useConnectionState } from '../connection/connection-state.ts';
import { Button } from '../controls/button.tsx';
import { Spinner } from '../controls/spinner.tsx';
import { readDraft } from '../outbox/draft.ts';
import { toDetails } from '../parts/boundary.tsx';
import { Code } from '../parts/code.tsx';
import { EmptyState } from '../parts/empty-state.tsx';

/**
 * What happened, ways on, and what was typed there. It stands on nothing that may have broken with the screen: no query,
 * no session.
 */
export function BrokenScreen({ error }: { error: unknown }) {
  const draft = readDraft(/^\/sessions\/([^/]+)/.exec(location.pathname)?.[1] ?? '');
  return (
    <main className="h-full overflow-auto">
      <EmptyState
        icon={<TriangleAlert />}
        title={
          <h1>{error instanceof NotLoaded ? 'This screen could not be loaded' : 'This screen broke'}</h1>
        }
        note={
          error instanceof NotLoaded
            ? 'Perhaps the server is a newer one than this page: reload it. Nothing that was sent is lost, and your drafts are kept.'
            : 'It is a fault of the page, not yours. Nothing that was sent is lost, and what you typed is kept in this tab.'
        }
        actions={
          <>
            <Button variant="primary" onClick={() => location.reload()}>
              Reload
            </Button>
            {/* A fresh page: what broke may hold on in this one. */}
            <Button onClick={() => location.assign('/')}>Go to start</Button>
          </>
        }
      />
      <div className="mx-auto flex max-w-2xl flex-col gap-4 px-4 pb-8 sm:px-6">
        {draft && (
          <section aria-label="What you were writing">
            <p className="mb-1 text-sm font-medium">What you were writing here, not sent:</p>
            <Code text={draft} copy label="What you were writing" />
          </section>
        )}
        <section aria-label="Details">
          <p className="mb-1 text-sm font-medium">For a report of the fault:</p>
          <Code text={toDetails(error)} copy label="Details" />
        </section>
      </div>
    </main>
  );
}

/** An address that no screen has. */
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

export function PendingScreen() {
  const { kind } = useConnectionState();
  return (
    <main className="flex h-full items-center justify-center p-6">
      <Spinner
        label={kind === 'retrying' ? 'This screen comes when the server is back' : 'Loading the screen'}
      />
    </main>
  );
}
