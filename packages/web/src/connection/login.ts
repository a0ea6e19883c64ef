// The login of this browser: a secret that belongs to this origin, its port included, and goes along as a header. No
// cookie, which every other port of the same host name would get, too. A link brings a code in its fragment, which no
// browser sends to a server; it is taken out of the address before anything else happens and traded once.
import { createClient, ToolyardError } from '@toolyard/sdk';
import { keepLogin, readKeptLogin } from './login-storage.ts';

const codeMark = '#login=';
/** Longer than this, the page begins without it. */
const answerTimeoutMs = 10_000;

const listeners = new Set<() => void>();
const channel = new BroadcastChannel('toolyard.login');
let secret: string | undefined;
let linkProblem: ToolyardError | undefined;

/** What says who we are, for each request; nothing without a login. */
export function readSecret(): string | undefined {
  return secret;
}

/** Why the last link did not log in. */
export function readLinkProblem(): ToolyardError | undefined {
  return linkProblem;
}

/** Calls `listener` when a link was followed here, or a login came or went in another tab. Returns how to stop that. */
export function onLogin(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** In every tab of this browser. It must have ended on the server before. */
export async function forgetLogin(): Promise<void> {
  secret = undefined;
  await keepLogin(undefined);
  channel.postMessage('changed');
}

/** The code of the link that led here. It does not stay in the address. */
function takeCode(): string | undefined {
  if (!location.hash.startsWith(codeMark)) return undefined;
  const code = location.hash.slice(codeMark.length);
  history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}

/** A link that does not work leaves the login that was there before. */
async function redeem(code: string): Promise<void> {
  try {
    const page = createClient({ baseUrl: location.origin, via: 'web' });
    ({ secret } = await page.logIn(code, AbortSignal.timeout(answerTimeoutMs)));
    linkProblem = undefined;
    await keepLogin(secret);
    channel.postMessage('changed');
  } catch (thrown) {
    const silent = new ToolyardError('server_unreachable', 'The server did not answer.');
    linkProblem = thrown instanceof ToolyardError ? thrown : silent;
  }
}

function notify(): void {
  for (const listener of listeners) listener();
}

channel.addEventListener('message', async () => {
  secret = await readKeptLogin();
  notify();
});
// A link that is pasted into the address of this very tab loads nothing anew.
window.addEventListener('hashchange', async () => {
  const code = takeCode();
  if (code === undefined) return;
  await redeem(code);
  notify();
});

// Before any module that asks the server for something is run.
const code = takeCode();
secret = await readKeptLogin();
if (code !== undefined) await redeem(code);
