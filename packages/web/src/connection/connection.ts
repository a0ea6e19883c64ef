// How the line to the server is, for whoever shows it.
import { useSyncExternalStore } from 'react';
import { socket } from './client.ts';

export function useConnection() {
  return useSyncExternalStore(
    (listener) => socket.onState(listener),
    () => socket.state,
  );
}
