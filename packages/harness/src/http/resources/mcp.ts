// /mcp: reads the body and says who sent it. The protocol itself is another room's; an agent's token gets in here only.
// Whoever got in reads JSON-RPC, also of what goes wrong on the way there.
import { readBody } from '../server/body.ts';
import type { HttpDeps } from '../server/deps.ts';
import { toRpcErrorResponse } from '../server/errors.ts';
import type { HttpRouter } from '../server/mount.ts';

export const mcpPath = '/mcp';

export function mountMcp(app: HttpRouter, { mcp, core: { logger } }: HttpDeps): void {
  app.all(mcpPath, async (c) => {
    const { raw, method } = c.req;
    let body: unknown;
    try {
      if (method === 'POST') body = await readBody(raw);
    } catch (thrown) {
      return toRpcErrorResponse(thrown, null, logger);
    }
    // Not within: whoever may no longer come in reads our own error, like everybody outside.
    c.get('recheck')?.();
    return mcp(raw, c.get('principal'), body).catch((thrown: unknown) =>
      toRpcErrorResponse(thrown, toRequestId(body), logger),
    );
  });
}

/** Of a body that is one request; nothing else has an id to answer to. */
function toRequestId(body: unknown): string | number | null {
  if (typeof body !== 'object' || body === null || !('method' in body) || !('id' in body)) return null;
  return typeof body.id === 'string' || typeof body.id === 'number' ? body.id : null;
}
