// Reads JSON messages from a stream, one per line. A line that is too long or not JSON yields a problem; reading
// continues with the next line.
import type { Readable } from 'node:stream';

export type Line = { value: unknown } | { problem: string };

/** The limit of the server. */
const maxLineBytes = 4 * 1024 * 1024;

/** Ends with the stream or when `signal` aborts. */
export async function* readLines(stream: Readable, signal: AbortSignal): AsyncGenerator<Line> {
  const decoder = new TextDecoder();
  let rest = '';
  let isTooLong = false;
  const stop = () => void stream.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stream) {
      const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
      rest = isTooLong ? '' : rest + first;
      for (const next of others) {
        if (isTooLong || rest.length > maxLineBytes)
          yield { problem: `The message is longer than ${maxLineBytes} bytes.` };
        else if (rest.trim()) yield parse(rest);
        rest = next;
        isTooLong = false;
      }
      isTooLong ||= rest.length > maxLineBytes;
      if (isTooLong) rest = '';
    }
    if (rest.trim()) yield parse(rest);
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function parse(text: string): Line {
  try {
    return { value: JSON.parse(text.replace(/^\ufeff/, '')) };
  } catch {
    return { problem: 'The message is not valid JSON.' };
  }
}
