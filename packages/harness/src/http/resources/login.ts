// Logging a browser in: a person asks for a link with their token. The link works once, soon; its code stands in the
// fragment, which no browser sends to a server. Our page posts it and gets a token that works for this page only.
import { routes, ToolyardError } from '@toolyard/sdk';
import type { HttpDeps } from '../server/deps.ts';
import { type HttpRouter, mount } from '../server/mount.ts';

export function mountLogin(app: HttpRouter, { core, publicUrl }: HttpDeps): void {
  const { principals, loginThrottle } = core;
  mount(app, routes.createLogin, ({ request, body }) => {
    const { code, expiresAt } = principals.createLoginCode(body.minutes);
    return { url: `${publicUrl ?? new URL(request.url).origin}/#login=${code}`, expiresAt };
  });

  mount(app, routes.logIn, async ({ request, body, page, source }) => {
    if (page === undefined) throw notThePage();
    const agent = request.headers.get('user-agent') ?? undefined;
    // The last hop that the proxy saw. It is shown, and believed for nothing.
    const forwarded =
      page === publicUrl ? request.headers.get('x-forwarded-for')?.split(',').pop()?.trim() : '';
    const browser = { origin: page, agent, address: forwarded || source };
    const created = await principals.redeemLoginCode(body.code, browser).catch((thrown: unknown) => {
      loginThrottle.fail(source);
      throw thrown;
    });
    return Response.json(created, { status: routes.logIn.status, headers: { 'cache-control': 'no-store' } });
  });
}

function notThePage(): ToolyardError {
  const hint = 'Open the link in a browser. Programs use a token: `toolyard tokens create`.';
  return new ToolyardError('forbidden_origin', `Only the page can use the code of a login link. ${hint}`);
}
