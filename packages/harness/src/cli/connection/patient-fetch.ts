// `fetch` for a request that may wait for a person: the platform's gives up after five minutes without an answer, this
// one waits as long as the server takes or until the signal aborts. Reads whole answers, no streams.
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export async function patientFetch(asked: Request): Promise<Response> {
  const { url, method, headers, signal } = asked;
  const body = Buffer.from(await asked.arrayBuffer());
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, { method, headers: Object.fromEntries(headers), signal }, resolve);
    // A server that is gone without a word is noticed by the system.
    sent.on('error', reject).on('socket', (socket) => socket.setKeepAlive(true, 30_000));
    sent.end(body);
  });
  const type = answer.headers['content-type'] ?? '';
  return new Response(new Uint8Array(await buffer(answer)), {
    status: answer.statusCode ?? 500,
    headers: { 'content-type': type },
  });
}
