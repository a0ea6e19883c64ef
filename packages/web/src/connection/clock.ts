// The server's clock, as far as this browser can tell: times in the log are the server's, and clocks differ.
import { useSyncExternalStore } from 'react';
import { socket } from './client.ts';

/** Milliseconds to add to this browser's clock. Below a few seconds it is only the way there and back. */
let offset = 0;
const worthCorrecting = 5_000;
const listeners = new Set<() => void>();

socket.onState((state) => {
  if (state === 'open') measure().catch(() => {});
});

async function measure(): Promise<void> {
  const sentAt = Date.now();
  const response = await fetch('/api/health', { cache: 'no-store' });
  const serverTime = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(serverTime)) return;
  const difference = serverTime - (sentAt + Date.now()) / 2;
  offset = Math.abs(difference) < worthCorrecting ? 0 : difference;
  for (const listener of listeners) listener();
}

export function serverNow(): number {
  return Date.now() + offset;
}

/** How far the server's clock is ahead of this browser's, in milliseconds; 0 when they agree. */
export function useClockOffset(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => offset,
  );
}
