// /mcp: reads the body and says who sent it. The protocol itself is another room's; an agent's token gets in here only.

import { readBody } from './body.ts';
import type { HttpDeps } from './deps.ts';
import type { Door } from './mount.ts';

export const mcpPath = '/mcp';

export function mountMcp(app: Door, { mcp }: HttpDeps): void {
  app.all(mcpPath, async (c) => {
    const body = c.req.method === 'POST' ? await readBody(c.req.raw) : undefined;
    return mcp(c.req.raw, c.get('principal'), body);
  });
}
