// Logging a browser in: a person asks for a link with their token; the link works once, soon, and leaves a cookie that
// no script can read and no other site can send.
import { routes } from '@toolyard/sdk';
import type { Core } from '../../core/core.ts';
import { cookieName } from '../server/auth.ts';
import { type HttpRouter, mount, toBindings } from '../server/mount.ts';

export const loginPath = '/login';
const sevenDays = 7 * 86_400;

export function mountLogin(app: HttpRouter, { principals }: Core): void {
  mount(app, routes.createLogin, ({ request, body }) => {
    const { code, expiresAt } = principals.createLoginCode(body.minutes);
    return { url: `${new URL(request.url).origin}${loginPath}?code=${code}`, expiresAt };
  });

  app.get(loginPath, async (c) => {
    // A look ahead must not spend the link.
    if (c.req.method === 'HEAD') return new Response(null, { status: 204 });
    const browser = {
      agent: c.req.header('user-agent'),
      address: toBindings(c).incoming?.socket.remoteAddress,
    };
    const redeemed = await principals
      .redeemLoginCode(c.req.query('code') ?? '', browser)
      .catch((thrown: unknown) => {
        if (!wantsHtml(c.req.raw)) throw thrown;
      });
    // A person gets to the page either way: logged in before, it works; else it says how to get a new link.
    if (!redeemed)
      return new Response(null, { status: 303, headers: { location: '/#link-expired', ...privateHeaders } });
    const { secret } = redeemed;
    return new Response(null, {
      status: 303,
      headers: {
        location: '/',
        'set-cookie': `${cookieName}=${secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${sevenDays}`,
        ...privateHeaders,
      },
    });
  });
}

const privateHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

/** A program asks for what it can read; a browser's window asks for a page. */
function wantsHtml(request: Request): boolean {
  return request.headers.get('accept')?.includes('text/html') ?? false;
}
