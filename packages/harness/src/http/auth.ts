// Who may talk to the server: the right Host (no rebinding), our own Origin (no foreign page), the person's token.
import { createHash, timingSafeEqual } from 'node:crypto';
import { ToolyardError } from '@toolyard/sdk';

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/** Refuses a request whose Host is not a name of this machine's loopback, or the one it was told to listen on. */
export function checkHost(host: string | undefined, listenHost: string): void {
  const name = host?.match(/^(\[[0-9a-f:]+\]|[^:/@\s]+)(?::\d{1,5})?$/i)?.[1]?.toLowerCase();
  if (name && (loopbackNames.includes(name) || name === listenHost.toLowerCase())) return;
  throw new ToolyardError(
    'forbidden_host',
    'This server answers only to its own address, such as 127.0.0.1.',
  );
}

/** Refuses a request that a page of another origin sent. Programs send no Origin and are fine. */
export function checkOrigin(origin: string | undefined, host: string | undefined): void {
  if (origin === undefined || origin === `http://${host}`) return;
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
