// Calls whose client has gone to ask its person and will come back for them. The key is a secret that only that client
// was given, good for the caller, the tool and the arguments it was given for.
import { randomBytes } from 'node:crypto';
import type { RunningCall } from './running-call.ts';

export interface ParkedCall {
  key: string;
  /** Whose it is, and for what. */
  binding: string;
  call: RunningCall;
}

export interface ParkedCalls {
  park(call: RunningCall, binding: string): ParkedCall;
  find(key: string): ParkedCall | undefined;
  /** Its result was delivered. */
  release(parked: ParkedCall): void;
  clear(): void;
}

/** How long a result waits for a client that does not come back; it is in the log all the same. */
const keepResultMs = 300_000;

export function createParkedCalls(): ParkedCalls {
  const parked = new Map<string, ParkedCall>();
  const release = ({ key }: ParkedCall) => void parked.delete(key);
  return {
    park(call, binding) {
      const added = { key: randomBytes(24).toString('base64url'), binding, call };
      parked.set(added.key, added);
      const expire = () => setTimeout(() => release(added), keepResultMs).unref();
      call.outcome.then(expire, expire);
      return added;
    },
    find: (key) => parked.get(key),
    release,
    clear: () => parked.clear(),
  };
}
