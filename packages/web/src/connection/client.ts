// The one client and the one line to the server that served this page. The login of this browser says who we are: when
// it counts no more, the line waits for another, and goes on where it was.
import { createClient } from '@toolyard/sdk';
import { readSecret } from './login.ts';

const listeners = new Set<() => void>();

export const client = createClient({ baseUrl: location.origin, via: 'web', token: readSecret });
export const socket = client.socket({
  onUnauthorized() {
    for (const listener of listeners) listener();
  },
});

/** Calls `listener` whenever the line was refused for want of a login. */
export function onUnauthorized(listener: () => void): void {
  listeners.add(listener);
}
