// A process's three streams in the port's terms: memory stays bounded, and a pipe that breaks breaks nothing else.
import { finished, type Readable, type Writable } from 'node:stream';
import { type ProcessInput, type ProcessOutput, ToolyardError } from '@toolyard/sdk';

export function toInput(stream: Writable | null): ProcessInput {
  if (!stream) return { write: async () => {}, end: async () => {} };
  // Whoever writes hears of it; without a listener it would end the server.
  stream.on('error', () => {});
  return {
    write: (chunk) => quiet(new Promise((resolve, reject) => stream.write(chunk, settle(resolve, reject)))),
    end: () =>
      new Promise((resolve) => {
        finished(stream, { readable: false }, () => resolve());
        stream.end();
      }),
  };
}

const unreadMs = 60_000;

export function toOutput(stream: Readable | null, exit: Promise<unknown>): ProcessOutput {
  if (!stream) return { [Symbol.asyncIterator]: async function* () {} };
  stream.on('error', () => {});
  // Node throws away what an ended process wrote unless somebody listens: a reader may come later.
  stream.on('readable', () => {});
  // But not for ever: unread bytes would keep the pipe open for as long as the server runs.
  exit.then(() => {
    if (stream.readableDidRead || stream.closed) return;
    const timer = setTimeout(() => stream.readableDidRead || stream.destroy(), unreadMs).unref();
    stream.once('close', () => clearTimeout(timer));
  });
  return stream;
}

/** The first `limit` bytes as text, once the stream has ended or `limit` is reached. */
export async function readText(output: ProcessOutput, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of output) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= limit) break;
  }
  return Buffer.concat(chunks).subarray(0, limit).toString('utf8');
}

function settle(resolve: () => void, reject: (error: ToolyardError) => void) {
  return (cause?: Error | null) => {
    if (!cause) return resolve();
    reject(new ToolyardError('process_failed', 'The process no longer reads its input.', { cause }));
  };
}

/** A rejection nobody waits for is no accident of the server's. */
function quiet(work: Promise<void>): Promise<void> {
  work.catch(() => {});
  return work;
}
