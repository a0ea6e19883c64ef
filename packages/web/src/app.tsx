// What surrounds every screen: queries, the router, and who is logged in.

import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { ToolyardError } from '@toolyard/sdk';
import { Tooltip } from 'radix-ui';
import { useEffect } from 'react';
import { preloadScreens } from './browser-apis/lazy-screens.ts';
import { noticeError } from './connection/connection-state.ts';
import { ToastProvider } from './controls/toast.tsx';
import { followLiveUpdates } from './queries/live-updates.ts';
import { router } from './router.tsx';

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noticeError }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (count, error) =>
        count < 3 && error instanceof ToolyardError && error.code === 'server_unreachable',
    },
  },
});

/** Whoever has just come wants the first screen, and its machine for that. */
const preloadDelayMs = 3_000;

export function App() {
  useEffect(() => {
    const timer = setTimeout(preloadScreens, preloadDelayMs);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    const stop = new AbortController();
    followLiveUpdates(queries, stop.signal).catch(() => {});
    return () => stop.abort();
  }, []);
  return (
    <QueryClientProvider client={queries}>
      <Tooltip.Provider delayDuration={400}>
        <ToastProvider>
          <RouterProvider router={router} />
        </ToastProvider>
      </Tooltip.Provider>
    </QueryClientProvider>
  );
}
