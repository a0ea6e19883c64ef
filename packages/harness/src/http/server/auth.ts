// Who may talk to the server: the right Host (no rebinding), our own Origin (no foreign page), and a token. A cookie
// goes to every port of a host name, so none says who somebody is.
import { parseSocketProtocols, ToolyardError } from '@toolyard/sdk';
import type { LoginThrottle } from '../../core/identity/login-throttle.ts';
import type { Principal, Principals } from '../../core/identity/principals.ts';

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/** By which names the server is called. */
export interface Addresses {
  /** The one it was told to listen on. */
  listenHost: string;
  /** The origin of the proxy in front of it. */
  publicUrl?: string | undefined;
}

/** Refuses a request whose Host is not a name of this machine's loopback, nor one of ours. */
export function checkHost(host: string | undefined, { listenHost, publicUrl }: Addresses): void {
  if (host !== undefined && isPublicHost(host, publicUrl)) return;
  const name = host?.match(/^(\[[0-9a-f:]+\]|[^:/@\s]+)(?::\d{1,5})?$/i)?.[1]?.toLowerCase();
  const own = listenHost.includes(':') ? `[${listenHost}]` : listenHost;
  if (name && (loopbackNames.includes(name) || name === own.toLowerCase())) return;
  throw new ToolyardError(
    'forbidden_host',
    'The Host of this request is not allowed. Use the address of this server, such as 127.0.0.1. Behind a proxy, set server.publicUrl to the address of the proxy.',
  );
}

function isPublicHost(host: string, publicUrl: string | undefined): boolean {
  return publicUrl !== undefined && new URL(publicUrl).host === host.toLowerCase();
}

/** The origin of our page for whoever calls us by this Host. */
export function toOwnOrigin(host: string, publicUrl: string | undefined): string {
  return publicUrl !== undefined && isPublicHost(host, publicUrl)
    ? publicUrl
    : `http://${host.toLowerCase()}`;
}

/** What a browser says of the page that sent a request. Programs say nothing and are fine. */
export interface Sender {
  origin: string | undefined;
  /** `Sec-Fetch-Site`: sent also where `Origin` is not, as with an image. */
  site: string | undefined;
  /** `X-Toolyard-Via`: the surface, as it names itself. */
  via?: string | undefined;
}

/** Refuses a request that a page of another origin than `own` sent. */
export function checkOrigin({ origin, site }: Sender, own: string, publicUrl?: string): void {
  const isOwnOrigin = origin === undefined || origin === own;
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
  if (isOwnOrigin && isOwnSite) return;
  const hint =
    origin !== undefined && origin === publicUrl
      ? ` The page is that of server.publicUrl, but the Host is ${new URL(own).host}: let the proxy pass on the Host that it gets.`
      : '';
  throw new ToolyardError('forbidden_origin', `Requests from another origin are not allowed.${hint}`);
}

/** Is it our own page that sent this, and no program? Browsers leave `Origin` out when a page reads from its own server. */
export function isSentByPage({ origin, site, via }: Sender, own: string): boolean {
  if (origin !== undefined) return origin === own;
  if (site !== undefined) return site === 'same-origin';
  // Without TLS, browsers leave the other header out, too. No page of another origin may send this one.
  return via === 'web';
}

export interface Credentials {
  authorization: string | undefined;
  /** Subprotocols offered for a WebSocket: browsers cannot send headers with it. */
  protocols?: string | undefined;
  /** The origin of our own page, if that is what sent the request. */
  page: string | undefined;
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
    const secret = toBearer(credentials);
    const found = secret === undefined ? undefined : await principals.identify(secret, credentials.page);
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

/** The cookie by which browsers were known once: told to forget it. */
export function forgetCookie(request: Request, answer: Response): void {
  if (!/(?:^|;\s*)toolyard=/.test(request.headers.get('cookie') ?? '')) return;
  answer.headers.append('set-cookie', 'toolyard=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0');
}
