// What a frame cannot hold goes another way: sent over the socket it would end it, and again after it came back.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient, largestFrame } from '../../src/index.ts';
import { createFakeSockets } from '../fake-socket.ts';

const sessionId = `ses_${'0'.repeat(22)}`;
const turnId = `trn_${'0'.repeat(22)}`;

describe('a message that is too large for a frame', () => {
  it('goes over HTTP, under a key, and the socket lives', async () => {
    const sockets = createFakeSockets();
    const posted: Request[] = [];
    const client = createClient({
      baseUrl: 'https://example.org',
      WebSocket: sockets.WebSocket,
      fetch(request) {
        posted.push(request);
        return Response.json({ turnId, seq: 7 }, { status: 202 });
      },
    });
    const socket = client.socket();
    onTestFinished(() => socket.close());
    const line = await sockets.line(1);
    line.open();
    const content = 'ü'.repeat(largestFrame / 2);
    expect(await socket.send(sessionId, content)).toEqual({ turnId, seq: 7 });
    expect(line.sent).toEqual([]);
    const [request] = posted;
    expect([request?.method, request?.url]).toEqual([
      'POST',
      `https://example.org/api/sessions/${sessionId}/messages`,
    ]);
    expect(request?.headers.get('idempotency-key')).toMatch(/^[\w-]{36}$/);
    expect(await request?.json()).toEqual({ content });
    void socket.send(sessionId, 'small').catch(() => {});
    expect(line.sent).toMatchObject([{ type: 'message', content: 'small' }]);
  });
});
