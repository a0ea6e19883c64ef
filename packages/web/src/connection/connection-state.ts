// How the page stands with its server, as a person needs to know it: the socket's state, how long it has been so, and
// whether the server still knows us.
import { ToolyardError } from '@toolyard/sdk';
import { useSyncExternalStore } from 'react';
import { client, onUnauthorized, socket } from './client.ts';
import { forgetLogin, onLogin, readSecret } from './login.ts';

export type ConnectionState =
  | { kind: 'connecting' | 'open' | 'loggedOut' }
  /** `since`: when it broke. */
  | { kind: 'retrying'; since: number }
  /** The server will not have us, for a reason that waiting does not change. */
  | { kind: 'refused'; error: ToolyardError };

const listeners = new Set<() => void>();
let current: ConnectionState = { kind: 'connecting' };

function change(next: ConnectionState): void {
  current = next;
  for (const listener of listeners) listener();
}

socket.onState((state) => {
  if (state === 'closed') void findReason();
  else if (current.kind === 'loggedOut') return;
  else if (state === 'retrying') {
    if (current.kind !== 'retrying') change({ kind: 'retrying', since: Date.now() });
  } else if (state === 'open' || current.kind !== 'retrying') change({ kind: state });
});

onUnauthorized(() => void checkLogin());
onLogin(() => {
  if (current.kind === 'loggedOut') void reconnect();
});

/** Whoever comes back to this window has perhaps just started the server. */
function wakeWhenVisible(): void {
  if (!document.hidden && current.kind !== 'loggedOut') socket.wake();
}
window.addEventListener('focus', wakeWhenVisible);
window.addEventListener('online', wakeWhenVisible);
document.addEventListener('visibilitychange', wakeWhenVisible);

async function findReason(): Promise<void> {
  const thrown = await askServer();
  if (thrown?.code === 'unauthorized') change({ kind: 'loggedOut' });
  else {
    const strange = new ToolyardError('malformed_response', 'The page and the server do not fit together.');
    change({ kind: 'refused', error: thrown ?? strange });
  }
}

const retryDelayMs = 1_000;
let checking: Promise<void> | undefined;

/** Asked once more: whoever was refused may have logged in since, or while we ask. */
function checkLogin(): Promise<void> {
  const asked = readSecret();
  checking ??= askServer().then((problem) => {
    checking = undefined;
    if (readSecret() !== asked) return checkLogin();
    if (problem?.code === 'unauthorized') change({ kind: 'loggedOut' });
    else setTimeout(() => socket.wake(), retryDelayMs);
  });
  return checking;
}

/** Any answer of the server may say that the login is over. */
export function noticeError(thrown: unknown): void {
  const isOver = thrown instanceof ToolyardError && thrown.code === 'unauthorized';
  if (isOver && current.kind !== 'loggedOut') void checkLogin();
}

/** After another login: the line opens anew and goes on where it was. Gives why it cannot. */
export async function reconnect(): Promise<ToolyardError | undefined> {
  const problem = await askServer();
  if (problem || current.kind !== 'loggedOut') return problem;
  change({ kind: socket.state === 'open' ? 'open' : 'connecting' });
  if (socket.state === 'closed') await findReason();
  else socket.wake();
  return undefined;
}

/** Ends the login of this browser: on the server first, then in all its tabs. */
export async function logOut(): Promise<void> {
  const { items } = await client.tokens.list();
  const own = items.find(({ current }) => current);
  if (own) await client.tokens.revoke(own.id);
  await forgetLogin();
  await checkLogin();
}

/** Why the server does not answer us; nothing when it does. */
export async function askServer(): Promise<ToolyardError | undefined> {
  try {
    await client.sessions.list({ limit: 1 });
    return undefined;
  } catch (thrown) {
    return thrown instanceof ToolyardError
      ? thrown
      : new ToolyardError('server_unreachable', 'The server did not answer.');
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useConnectionState(): ConnectionState {
  return useSyncExternalStore(subscribe, () => current);
}

const recheckDelayMs = 10_000;

/**
 * Resolves when the server is not known to be away; with `surely`, when it has answered. A line that is broken by itself,
 * as by a proxy that knows no WebSockets, is no sign of that.
 */
export async function whenReachable({ surely = false } = {}): Promise<void> {
  const isAway = async () =>
    (surely || current.kind === 'retrying') && (await askServer())?.code === 'server_unreachable';
  while (await isAway()) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const forget = subscribe(resolve);
    const timer = setTimeout(resolve, recheckDelayMs);
    await promise;
    clearTimeout(timer);
    forget();
  }
}

/** The socket's own state. */
export function useSocketState() {
  return useSyncExternalStore(
    (listener) => socket.onState(listener),
    () => socket.state,
  );
}
