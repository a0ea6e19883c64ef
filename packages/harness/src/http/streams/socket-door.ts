// The WebSocket's door: whoever the guards let in gets one, as long as there are not too many.
import { parseSocketProtocols, routes, ToolyardError } from '@toolyard/sdk';
import { toActor } from '../../core/identity/principals.ts';
import type { HttpDeps } from '../door/deps.ts';
import { type Door, surfaceOf, toBindings } from '../door/mount.ts';
import { serveSocket } from './socket.ts';

/** Tells the server below that the answer is on the wire already. */
const answered = { 'x-hono-already-sent': 'true' };

export function mountSocket(app: Door, deps: HttpDeps): void {
  let open = 0;

  app.get(routes.openSocket.path, (c) => {
    const { upgrade } = toBindings(c);
    if (!upgrade) throw upgradeRequired();
    if (open >= deps.readerLimits.sockets) throw tooMany(open);
    c.get('recheck')?.();
    const principal = c.get('principal');
    const { via } = parseSocketProtocols(c.req.header('sec-websocket-protocol') ?? '');
    const actor = toActor(principal, surfaceOf(c.req.header('x-toolyard-via') ?? via));
    upgrade((socket) => {
      open++;
      socket.once('close', () => open--);
      serveSocket(deps, socket, { principal, actor });
    });
    return new Response(null, { headers: answered });
  });
}

function upgradeRequired(): ToolyardError {
  const hint = 'Ask for an upgrade with a WebSocket client.';
  return new ToolyardError('upgrade_required', `This is the address of a WebSocket. ${hint}`);
}

function tooMany(open: number): ToolyardError {
  return new ToolyardError('too_many_readers', `${open} sockets are open. Close one and try again.`);
}
