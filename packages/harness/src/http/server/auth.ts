// Who may talk to the server: the right Host (no rebinding), our own Origin (no foreign page), and a token or the
// cookie that a login link gave.
import { parseSocketProtocols, ToolyardError } from '@toolyard/sdk';
import type { LoginThrottle } from '../../core/identity/login-throttle.ts';
import type { Principal, Principals } from '../../core/identity/principals.ts';

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];
export const cookieName = 'toolyard';

/** Refuses a request whose Host is not a name of this machine's loopback, or the one it was told to listen on. */
export function checkHost(host: string | undefined, listenHost: string): void {
  const name = host?.match(/^(\[[0-9a-f:]+\]|[^:/@\s]+)(?::\d{1,5})?$/i)?.[1]?.toLowerCase();
  const own = listenHost.includes(':') ? `[${listenHost}]` : listenHost;
  if (name && (loopbackNames.includes(name) || name === own.toLowerCase())) return;
  throw new ToolyardError(
    'forbidden_host',
    'The Host of this request is not allowed. Use the address of this server, such as 127.0.0.1.',
  );
}

/** What a browser says of the page that sent a request. Programs say nothing and are fine. */
export interface Sender {
  origin: string | undefined;
  /** `Sec-Fetch-Site`: sent also where `Origin` is not, as with an image. */
  site: string | undefined;
}

/** Refuses a request that a page of another origin sent. */
export function checkOrigin({ origin, site }: Sender, host: string): void {
  const isOwnOrigin = origin === undefined || origin === `http://${host.toLowerCase()}`;
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
  if (isOwnOrigin && isOwnSite) return;
  throw new ToolyardError('forbidden_origin', 'Requests from another origin are not allowed.');
}

export interface Credentials extends Sender {
  /** It may change something. */
  acts: boolean;
  authorization: string | undefined;
  cookie: string | undefined;
  /** Subprotocols offered for a WebSocket: browsers cannot send headers with it. */
  protocols?: string | undefined;
  /** Where the request came from, for counting failures. */
  source: string;
}

/** Builds the check of who sends a request. Throws `unauthorized`, or `too_many_attempts` to who keeps guessing. */
export function createAuthentication({
  principals,
  loginThrottle,
}: {
  principals: Principals;
  loginThrottle: LoginThrottle;
}) {
  return async (credentials: Credentials): Promise<Principal> => {
    const bearer = toBearer(credentials);
    const secret = bearer ?? toCookie(credentials);
    const carrier = bearer === undefined ? 'cookie' : 'bearer';
    const found = secret === undefined ? undefined : await principals.identify(secret, carrier);
    if (found) return found;
    if (secret !== undefined) loginThrottle.fail(credentials.source);
    const hint = 'Send `Authorization: Bearer …` with the token from the file "token" in the Toolyard home.';
    if (secret === undefined) throw new ToolyardError('unauthorized', `No token was sent. ${hint}`);
    const data = { reason: 'invalid_token' };
    throw new ToolyardError('unauthorized', `The token is not valid. ${hint}`, { data });
  };
}

/** With a header, the subprotocols say nothing. */
function toBearer({ authorization, protocols }: Credentials): string | undefined {
  if (authorization !== undefined) return authorization.match(/^Bearer (\S+)$/i)?.[1];
  return protocols === undefined ? undefined : parseSocketProtocols(protocols).token;
}

/** A cookie comes along whoever sends the request, so for anything that acts the page must say that it is ours. */
function toCookie({ cookie, acts, origin, site }: Credentials): string | undefined {
  const value = cookie?.match(/(?:^|;\s*)toolyard=([\w-]+)/)?.[1];
  return acts && origin === undefined && site !== 'same-origin' ? undefined : value;
}
