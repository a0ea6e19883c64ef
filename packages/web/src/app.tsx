// What surrounds every screen: queries, the router, and who is logged in.

import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { ToolyardError } from '@toolyard/sdk';
import { Tooltip } from 'radix-ui';
import { useEffect } from 'react';
import { loadRest } from './browser/later.ts';
import { noticeError } from './connection/line.ts';
import { ToastProvider } from './controls/toast.tsx';
import { router } from './router.tsx';
import { hearNews } from './server/news.ts';

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
const loadRestAfterMs = 3_000;

export function App() {
  useEffect(() => {
    const timer = setTimeout(loadRest, loadRestAfterMs);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    const stop = new AbortController();
    hearNews(queries, stop.signal).catch(() => {});
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
