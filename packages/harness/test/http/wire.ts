// Speaks HTTP byte by byte, so that tests can send what no well-behaved client would.
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface WireAnswer {
  /** 0 when the server said nothing before it closed. */
  status: number;
  headers: string;
  body: string;
}

/** A connection that is gone when the test is. Errors end it like a close does. */
export async function openLine(port: number): Promise<Socket> {
  const line = connect(port, '127.0.0.1');
  onTestFinished(() => void line.destroy());
  await new Promise((resolve, reject) => line.once('connect', resolve).once('error', reject));
  line.on('error', () => {});
  return line;
}

/** All that arrives until the server closes the line. */
export async function readAll(line: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  line.on('data', (chunk) => chunks.push(chunk));
  await new Promise((resolve) => line.once('close', resolve));
  return Buffer.concat(chunks).toString();
}

export async function sendRaw(port: number, bytes: string | Uint8Array): Promise<WireAnswer> {
  const line = await openLine(port);
  line.write(bytes);
  return toAnswer(await readAll(line));
}

export interface WireRequest {
  /** The request line, such as `GET /api/health HTTP/1.1`. */
  request: string;
  headers?: readonly string[];
  body?: string | Uint8Array;
}

/** Sends exactly these lines, and `Connection: close`. */
export function send(port: number, { request, headers = [], body = '' }: WireRequest): Promise<WireAnswer> {
  const head = [request, ...headers, 'Connection: close', '', ''].join('\r\n');
  return sendRaw(port, Buffer.concat([Buffer.from(head), Buffer.from(body)]));
}

export function toAnswer(text: string): WireAnswer {
  const end = text.indexOf('\r\n\r\n');
  return {
    status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? 0),
    headers: text.slice(0, end),
    body: end < 0 ? '' : text.slice(end + 4),
  };
}
