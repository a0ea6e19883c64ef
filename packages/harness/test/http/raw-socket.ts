// A WebSocket that sends what no well-behaved client would, and keeps every frame it gets.
import { once } from 'node:events';
import { type ServerFrame, toSocketProtocols } from '@toolyard/sdk';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { Yard } from '../../src/app.ts';

type Frame<T extends ServerFrame['type']> = Extract<ServerFrame, { type: T }>;

export interface RawSocket {
  ws: WebSocket;
  /** All frames so far. */
  frames: ServerFrame[];
  /** Sends a value as JSON. */
  send(value: unknown): void;
  /** Sends a request under a name of its own and gives its answer. */
  ask(value: object): Promise<Frame<'ack'> | Frame<'error'>>;
  /** The first frame that fits, also one that came before. */
  find(fits: (frame: ServerFrame) => boolean): Promise<ServerFrame>;
  /** Code and reason of the end. */
  ended: Promise<{ code: number; reason: string }>;
}

export interface Opening {
  port: number;
  token?: string;
  headers?: Record<string, string>;
  protocols?: string[];
  path?: string;
  /** What is kept of a frame, where all of it would be too much. */
  keep?(frame: ServerFrame): ServerFrame;
}

/** Resolves once it is open. It is gone when the test is. */
export async function openSocket(opening: Opening): Promise<RawSocket> {
  const { port, token, headers, protocols, path, keep = (frame) => frame } = opening;
  const offered = protocols ?? toSocketProtocols(token ? { token } : {});
  const ws = new WebSocket(`ws://127.0.0.1:${port}${path ?? '/api/ws'}`, offered, { headers: headers ?? {} });
  ws.setMaxListeners(0);
  onTestFinished(() => ws.terminate());
  const frames: ServerFrame[] = [];
  const listeners = new Set<(frame: ServerFrame) => void>();
  ws.on('message', (data) => {
    const frame = keep(JSON.parse(String(data)));
    frames.push(frame);
    for (const listener of listeners) listener(frame);
  });
  ws.on('error', () => {});
  const ended = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  let asked = 0;
  const find: RawSocket['find'] = (fits) =>
    new Promise((resolve, reject) => {
      const found = frames.find(fits);
      if (found) return resolve(found);
      const look = (frame: ServerFrame) => {
        if (!fits(frame)) return;
        listeners.delete(look);
        resolve(frame);
      };
      listeners.add(look);
      // Also when it was closed before: nothing more comes.
      void ended.then(() => reject(new Error(`closed after ${JSON.stringify(frames.slice(-20))}`)));
    });
  const socket: RawSocket = {
    ws,
    frames,
    ended,
    find,
    send: (value) => ws.send(JSON.stringify(value)),
    async ask(value) {
      const ref = `own-${++asked}`;
      ws.send(JSON.stringify({ ...value, ref }));
      const isOwn = (frame: ServerFrame) => 'ref' in frame && frame.ref === ref;
      // The server names a request only in these two.
      return (await find(isOwn)) as Frame<'ack'> | Frame<'error'>;
    },
  };
  await once(ws, 'open');
  return socket;
}

/** A yard on a port, and how to open sockets to it. */
export async function listenAt(yard: Yard) {
  const { port, url } = await yard.listen({ host: '127.0.0.1', port: 0 });
  return {
    port,
    url,
    open: (rest: Partial<Opening> = {}) => openSocket({ port, token: yard.token, ...rest }),
  };
}
