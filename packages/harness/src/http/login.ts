// Logging a browser in: a person asks for a link with their token; the link works once, soon, and leaves a cookie that
// no script can read and no other site can send.
import { routes } from '@toolyard/sdk';
import { cookieName } from './auth.ts';
import type { HttpDeps } from './deps.ts';
import { type Door, mount } from './mount.ts';

export const loginPath = '/login';
const sevenDays = 7 * 86_400;

export function mountLogin(app: Door, { principals }: HttpDeps): void {
  mount(app, routes.createLogin, ({ request }) => {
    const { code, expiresAt } = principals.createLoginCode();
    return { url: `${new URL(request.url).origin}${loginPath}?code=${code}`, expiresAt };
  });

  app.get(loginPath, async (c) => {
    // A look ahead must not spend the link.
    if (c.req.method === 'HEAD') return new Response(null, { status: 204 });
    const { secret } = await principals.redeemLoginCode(c.req.query('code') ?? '');
    return new Response(null, {
      status: 303,
      headers: {
        location: '/',
        'set-cookie': `${cookieName}=${secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${sevenDays}`,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      },
    });
  });
}
