// How the page stands with its server, as a person needs to know it: the socket's state, how long it has been so, and
// whether the server still knows us.
import { ToolyardError } from '@toolyard/sdk';
import { useSyncExternalStore } from 'react';
import { client, hearUnauthorized, socket } from './client.ts';

export type Line =
  | { kind: 'connecting' | 'open' | 'loggedOut' }
  /** `since`: when it broke. */
  | { kind: 'retrying'; since: number }
  /** The server will not have us, for a reason that waiting does not change. */
  | { kind: 'refused'; error: ToolyardError };

const listeners = new Set<() => void>();
let line: Line = { kind: 'connecting' };

function change(next: Line): void {
  line = next;
  for (const listener of listeners) listener();
}

socket.onState((state) => {
  if (state === 'closed') void findReason();
  else if (line.kind === 'loggedOut') return;
  else if (state === 'retrying') {
    if (line.kind !== 'retrying') change({ kind: 'retrying', since: Date.now() });
  } else if (state === 'open' || line.kind !== 'retrying') change({ kind: state });
});

hearUnauthorized(() => void checkLogin());

/** Whoever comes back to this window has perhaps just started the server. */
function wakeWhenSeen(): void {
  if (!document.hidden && line.kind !== 'loggedOut') socket.wake();
}
window.addEventListener('focus', wakeWhenSeen);
window.addEventListener('online', wakeWhenSeen);
document.addEventListener('visibilitychange', wakeWhenSeen);

async function findReason(): Promise<void> {
  const thrown = await askServer();
  if (thrown?.code === 'unauthorized') change({ kind: 'loggedOut' });
  else {
    const strange = new ToolyardError('malformed_response', 'The page and the server do not fit together.');
    change({ kind: 'refused', error: thrown ?? strange });
  }
}

const tryAgainMs = 1_000;
let checking: Promise<void> | undefined;

/** Asked once more: whoever was refused may have logged in since. */
function checkLogin(): Promise<void> {
  checking ??= askServer().then((problem) => {
    checking = undefined;
    if (problem?.code === 'unauthorized') change({ kind: 'loggedOut' });
    else setTimeout(() => socket.wake(), tryAgainMs);
  });
  return checking;
}

/** Any answer of the server may say that the login is over. */
export function noticeError(thrown: unknown): void {
  const isOver = thrown instanceof ToolyardError && thrown.code === 'unauthorized';
  if (isOver && line.kind !== 'loggedOut') void checkLogin();
}

/** After another login: the line opens anew and goes on where it was. Gives why it cannot. */
export async function comeBack(): Promise<ToolyardError | undefined> {
  const problem = await askServer();
  if (problem || line.kind !== 'loggedOut') return problem;
  change({ kind: socket.state === 'open' ? 'open' : 'connecting' });
  if (socket.state === 'closed') await findReason();
  else socket.wake();
  return undefined;
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

function onLine(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useLine(): Line {
  return useSyncExternalStore(onLine, () => line);
}

const askAgainMs = 10_000;

/**
 * Resolves when the server is not known to be away; with `surely`, when it has answered. A line that is broken by itself,
 * as by a proxy that knows no WebSockets, is no sign of that.
 */
export async function whenReachable({ surely = false } = {}): Promise<void> {
  const isAway = async () =>
    (surely || line.kind === 'retrying') && (await askServer())?.code === 'server_unreachable';
  while (await isAway()) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const forget = onLine(resolve);
    const timer = setTimeout(resolve, askAgainMs);
    await promise;
    clearTimeout(timer);
    forget();
  }
}

/** The socket's own state. */
export function useConnection() {
  return useSyncExternalStore(
    (listener) => socket.onState(listener),
    () => socket.state,
  );
}
