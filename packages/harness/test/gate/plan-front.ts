// Stands before the scripted model and lets it know what a script cannot: where the CLI wants its plan. A model reads the
// path in its instructions; a script says PLAN_FILE.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll } from 'vitest';

export const planFile = 'PLAN_FILE';

export async function openPlanFront(url: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const [path = planFile] = /\/[^\s"\\]+\/plans\/[^\s"\\]+\.md/.exec(body) ?? [];
    const answer = await fetch(new URL(request.url ?? '/', url), {
      method: request.method ?? 'GET',
      headers: { 'content-type': 'application/json' },
      ...(body && { body }),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end((await answer.text()).replaceAll(planFile, path));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}
