// Who may talk to the server: the right Host (no rebinding), our own Origin (no foreign page), the person's token.
import { createHash, timingSafeEqual } from 'node:crypto';
import { ToolyardError } from '@toolyard/sdk';

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/** Refuses a request whose Host is not a name of this machine's loopback, or the one it was told to listen on. */
export function checkHost(host: string | undefined, listenHost: string): void {
  const name = host?.match(/^(\[[0-9a-f:]+\]|[^:/@\s]+)(?::\d{1,5})?$/i)?.[1]?.toLowerCase();
  const own = listenHost.includes(':') ? `[${listenHost}]` : listenHost;
  if (name && (loopbackNames.includes(name) || name === own.toLowerCase())) return;
  throw new ToolyardError(
    'forbidden_host',
    'This server answers only to its own address, such as 127.0.0.1.',
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
  throw new ToolyardError('forbidden_origin', 'Pages of another origin may not use this server.');
}

/** Builds the check of the person's token, in constant time. */
export function createTokenCheck(token: string): (authorization: string | undefined) => void {
  const expected = digest(token);
  return (authorization) => {
    const given = authorization?.match(/^Bearer (\S+)$/i)?.[1];
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return;
    const found = given === undefined ? 'No token was sent.' : 'The token is not valid.';
    const hint = 'Send `Authorization: Bearer …` with the token from the file "token" in the Toolyard home.';
    throw new ToolyardError('unauthorized', `${found} ${hint}`);
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
