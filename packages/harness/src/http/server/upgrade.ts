// From a request for a WebSocket to an open one. The app judges the request like any other: what it refuses is answered
// in the usual shape, and what it accepts it opens itself.
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { routes, socketProtocols } from '@toolyard/sdk';
import { type WebSocket, WebSocketServer } from 'ws';

/** Opens the socket that a request asks for. Calls `onOpen`, unless the request turns out not to be a handshake. */
export type Upgrade = (onOpen: (socket: WebSocket) => void) => void;

export interface Upgrades {
  /** Is this a request for our socket? Any other is answered as if it asked for no upgrade. */
  isAsked(request: IncomingMessage): boolean;
  /** Lets `answer` judge a request that asks for the socket. */
  take(request: IncomingMessage, socket: Duplex, head: Buffer, answer: Answer): void;
  /** How to open what a request asks for; nothing when it does not. */
  of(request: IncomingMessage): Upgrade | undefined;
  /** Cuts whatever is still open. */
  terminate(): void;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

export function createUpgrades({ payloadBytes }: { payloadBytes: number }): Upgrades {
  const asked = new WeakMap<IncomingMessage, Upgrade>();
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: payloadBytes,
    // Never the first that is offered: it may be a token.
    handleProtocols: (offered) => socketProtocols.find((protocol) => offered.has(protocol)) ?? false,
  });
  return {
    isAsked: ({ method, url, headers }) =>
      method === 'GET' &&
      url?.split('?', 1)[0] === routes.openSocket.path &&
      headers.upgrade?.toLowerCase() === 'websocket',
    take(request, socket, head, answer) {
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      // The HTTP server's own sockets are of this kind; the types leave room for others.
      response.assignSocket(socket as Parameters<typeof response.assignSocket>[0]);
      response.once('finish', () => socket.end(() => socket.destroy()));
      // A line that breaks ends here; until it is a socket nobody else listens.
      socket.on('error', () => socket.destroy());
      asked.set(request, (onOpen) => {
        asked.delete(request);
        response.detachSocket(socket as Parameters<typeof response.detachSocket>[0]);
        server.handleUpgrade(request, socket, head, onOpen);
      });
      answer(request, response);
    },
    of: (request) => asked.get(request),
    terminate() {
      for (const client of server.clients) client.terminate();
    },
  };
}
