// Stands between the CLI and the scripted model and keeps what was asked of it: instructions, tools, words, results.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const Asked = z.object({
  model: z.string(),
  system: z.unknown().transform((system) => JSON.stringify(system)),
  tools: z.array(z.object({ name: z.string() })).default([]),
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
});
export type Asked = z.infer<typeof Asked>;

export interface ModelTap {
  url: string;
  /** Every request to the model so far, oldest first. */
  asked: Asked[];
  close(): Promise<void>;
}

/** Nothing is handed on before `before` has resolved. */
export async function openModelTap(
  target: string,
  before: (asked: Asked) => Promise<void> = async () => {},
): Promise<ModelTap> {
  const asked: Asked[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const body = await text(incoming);
    if (new URL(incoming.url ?? '/', target).pathname === '/v1/messages') {
      const request = Asked.parse(JSON.parse(body));
      asked.push(request);
      await before(request);
    }
    forward(target, incoming, body, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on a port of this machine, so there is an address and it is no path.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function forward(target: string, incoming: IncomingMessage, body: string, outgoing: ServerResponse): void {
  const { method = 'GET', url = '/', headers } = incoming;
  const upstream = request(new URL(url, target), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(outgoing);
    // What was cut off there is cut off here.
    answer.on('error', () => outgoing.destroy());
  });
  upstream.on('error', () => outgoing.destroy());
  outgoing.on('close', () => upstream.destroy());
  upstream.end(body);
}
