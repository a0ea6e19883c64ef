// Reads the body of a request: bounded, UTF-8, JSON. Nothing is guessed: what it cannot read exactly, it refuses.
import { ToolyardError } from '@toolyard/sdk';

const defaultMaxBytes = 4 * 1024 * 1024;

/** What the body says, or `undefined` when there is none. Reads no further than the limit. */
export async function readBody(request: Request, maxBytes = defaultMaxBytes): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) return undefined;
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')) {
    throw new ToolyardError('unsupported_media_type', 'Send the body as Content-Type: application/json.');
  }
  return parseJson(decode(bytes));
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = request.headers.get('content-length');
  if (Number(declared ?? 0) > maxBytes) throw tooLarge(maxBytes);
  try {
    // The socket holds a sender to the length it declared, so all at once is safe, and faster than a stream.
    return declared === null
      ? await readChunks(request.body, maxBytes)
      : new Uint8Array(await request.arrayBuffer());
  } catch (thrown) {
    if (thrown instanceof ToolyardError) throw thrown;
    // Whoever sent it is gone: nobody's fault, and nobody is left to hear the answer.
    throw new ToolyardError('invalid_request', 'The body ended early.', { cause: thrown });
  }
}

async function readChunks(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ToolyardError('invalid_json', 'The body is not UTF-8.');
  }
}

function tooLarge(maxBytes: number): ToolyardError {
  const limit = `${maxBytes / 1024 / 1024} MB`;
  return new ToolyardError('payload_too_large', `The body is too large: the limit is ${limit}.`);
}

const maxDepth = 64;

/**
 * Parses JSON from outside: bounded depth, errors in words, no way to reach a prototype. `what` is the text to whoever
 * sent it.
 */
export function parseJson(text: string, what = 'body'): unknown {
  if (depthOf(text) > maxDepth) {
    throw new ToolyardError('invalid_json', `The ${what} is nested deeper than ${maxDepth} levels.`);
  }
  try {
    return JSON.parse(text, refusePrototype);
  } catch (thrown) {
    if (thrown instanceof ToolyardError) throw thrown;
    throw new ToolyardError(
      'invalid_json',
      `The ${what} is not JSON: ${(thrown as SyntaxError).message.slice(0, 200)}.`,
    );
  }
}

function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new ToolyardError('invalid_json', 'The key "__proto__" is not accepted.');
  return value;
}

/** The deepest nesting of brackets outside strings, without parsing. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (inString) {
      if (char === 0x5c) at++;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x7b || char === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (char === 0x7d || char === 0x5d) depth--;
  }
  return deepest;
}
