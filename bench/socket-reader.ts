// Reads one session's events over a WebSocket of its own and notes when each arrived; see event-reader.ts.
import { WebSocket } from 'ws';
import { type Arrival, type EventReader, toArrival } from './event-reader.ts';
import type { Server } from './processes.ts';

/** Resolves when the subscription has begun. */
export function openSocketReader({ url, token }: Server, sessionId: string): Promise<EventReader> {
  const arrivals: Arrival[] = [];
  const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<void>();
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/ws`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('open', () => socket.send(JSON.stringify({ type: 'subscribe', sessionId })));
    socket.once('close', () => fail(new Error(`the socket for ${sessionId} ended early`)));
    socket.on('message', (data) => {
      const arrivedAt = performance.timeOrigin + performance.now();
      const frame = JSON.parse(String(data));
      if (frame.type === 'ack') resolve({ arrivals, ended });
      if (frame.type !== 'event') return;
      arrivals.push(toArrival(frame.event, arrivedAt));
      if (frame.event.type !== 'turn_end') return;
      end();
      socket.close();
    });
  });
}
