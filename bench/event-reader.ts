// Reads one session's event stream over a socket of its own and notes when each event arrived. As light as can be, so
// that the readers do not measure themselves.
import { get } from 'node:http';
import type { Server } from './processes.ts';

export interface Arrival {
  type: string;
  /** Milliseconds of this machine's clock. */
  arrivedAt: number;
  delayMs: number;
}

export interface EventReader {
  arrivals: readonly Arrival[];
  /** Resolves when the turn has ended, rejects when the stream breaks first. */
  ended: Promise<void>;
}

/** Resolves when the stream is open. */
export function openReader({ url, token }: Server, sessionId: string): Promise<EventReader> {
  const arrivals: Arrival[] = [];
  const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<void>();
  return new Promise((resolve, reject) => {
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}` };
    const request = get(`${url}/api/sessions/${sessionId}/events`, { agent: false, headers }, (response) => {
      let rest = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        const arrivedAt = performance.timeOrigin + performance.now();
        const blocks = (rest + text).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) note(arrivals, block, arrivedAt);
        if (arrivals.at(-1)?.type === 'turn_end' || arrivals.at(-2)?.type === 'turn_end') {
          request.destroy();
          end();
        }
      });
      response.once('close', () => fail(new Error(`the stream of ${sessionId} ended early`)));
      if (response.statusCode === 200) resolve({ arrivals, ended });
      else reject(new Error(`the stream of ${sessionId} answered ${response.statusCode}`));
    });
    request.once('error', reject);
  });
}

/** An event's `at` is the moment the engine emitted it. */
export function toArrival({ type, at }: { type: string; at: string }, arrivedAt: number): Arrival {
  return { type, arrivedAt, delayMs: arrivedAt - Date.parse(at) };
}

function note(arrivals: Arrival[], block: string, arrivedAt: number): void {
  const data = /^data: (.*)$/m.exec(block)?.[1];
  if (data === undefined) return;
  arrivals.push(toArrival(JSON.parse(data), arrivedAt));
}
