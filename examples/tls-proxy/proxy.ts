// A small TLS proxy: everything that one in front of Toolyard must do. It ends TLS, passes on every path with the Host
// that the browser used, says where a request came from, and lets WebSockets through.
import { type IncomingMessage, request as sendRequest } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Duplex } from 'node:stream';
import { pathToFileURL } from 'node:url';

export interface ProxyOptions {
  /** In PEM. */
  key: string;
  cert: string;
  /** Where Toolyard listens, such as `http://127.0.0.1:4242`. */
  target(): string;
}

export function createTlsProxy({ key, cert, target }: ProxyOptions): Server {
  const pass = (request: IncomingMessage) =>
    sendRequest(new URL(request.url ?? '/', target()), {
      method: request.method,
      // The Host is among them, as the browser sent it.
      headers: { ...request.headers, 'x-forwarded-for': request.socket.remoteAddress },
    });

  const server = createServer({ key, cert }, (request, response) => {
    const passed = pass(request);
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.writeHead(502).end('Toolyard does not answer.\n'));
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });

  server.on('upgrade', (request: IncomingMessage, browser: Duplex) => {
    const passed = pass(request);
    browser.on('error', () => passed.destroy());
    passed.on('upgrade', (answer, toolyard) => {
      browser.write(toHead(answer));
      toolyard.pipe(browser).pipe(toolyard);
      toolyard.on('error', () => browser.destroy());
      browser.on('close', () => toolyard.destroy());
    });
    passed.on('response', (answer) => {
      browser.write(toHead(answer));
      answer.pipe(browser);
    });
    passed.on('error', () => browser.destroy());
    passed.end();
  });
  return server;
}

function toHead({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, index) => (index % 2 ? [] : [`${name}: ${rawHeaders[index + 1]}`]));
  return [`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines, '', ''].join('\r\n');
}

// node examples/tls-proxy/proxy.ts KEY.pem CERT.pem [PORT]
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { readFile } = await import('node:fs/promises');
  const [, , key = '', cert = '', port = '8443'] = process.argv;
  const files = { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
  createTlsProxy({ ...files, target: () => 'http://127.0.0.1:4242' }).listen(Number(port));
}
