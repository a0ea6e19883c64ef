// Reads a request's JSON body up to a limit. Past it the rest is read and thrown away, so that the client lives
// to see the answer.
import type { IncomingMessage } from 'node:http';
import { invalid, Refusal } from './refusal.ts';

/** The real service's limit. */
const maxBytes = 32 * 1_048_576;

export interface Body {
  json: unknown;
  characters: number;
}

/** Rejects when the client goes away before its body is complete. */
export async function readBody(request: IncomingMessage): Promise<Body | Refusal> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    if (size <= maxBytes) chunks.push(bytes);
    else chunks.length = 0;
    if (size > 4 * maxBytes) request.destroy();
  }
  if (size > maxBytes) return new Refusal(413, `Request exceeds the maximum size of ${maxBytes} bytes`);
  return parse(Buffer.concat(chunks).toString('utf8'));
}

function parse(text: string): Body | Refusal {
  try {
    return { json: JSON.parse(text), characters: text.length };
  } catch {
    return invalid('The request body is not valid JSON');
  }
}
