// A "preview" as an agent would start one: a page on another port of the same host name, which keeps all that a browser
// sends it and does in the browser whatever it is told to.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Preview {
  url: string;
  /** The headers of every request so far. */
  seen: IncomingHttpHeaders[];
}

export async function startPreview(): Promise<Preview> {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.setHeader('content-type', 'text/html');
    // What it sets goes to every other port, too.
    response.setHeader('set-cookie', 'toolyard=forged; Path=/');
    response.end('<!doctype html><title>A preview</title><h1>Your new website</h1>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A TCP server that listens has one.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen };
}
