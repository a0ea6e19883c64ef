// Reads Server-Sent Events from bytes cut anywhere, and writes them.

export interface SseMessage {
  id?: string;
  event?: string;
  data: string;
}

/**
 * Yields each complete message; one without data only says where the reader stands. A half message at the end is
 * dropped: the reader resumes from the last id.
 */
export async function* readSse(body: ReadableStream<Uint8Array>): AsyncGenerator<SseMessage> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of iterate(body)) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const message = parseBlock(block);
      if (message) yield message;
    }
  }
}

export function toSse(message: SseMessage): string {
  const id = message.id === undefined ? '' : `id: ${message.id}\n`;
  const event = message.event === undefined ? '' : `event: ${message.event}\n`;
  return `${id}${event}data: ${message.data}\n\n`;
}

function parseBlock(block: string): SseMessage | undefined {
  const message: SseMessage = { data: '' };
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    const [field, value] =
      colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
    if (field === 'data') data.push(value);
    else if (field === 'id') message.id = value;
    else if (field === 'event') message.event = value;
  }
  if (data.length === 0 && message.id === undefined) return undefined;
  return { ...message, data: data.join('\n') };
}

// Browsers' ReadableStream is not async-iterable everywhere yet.
async function* iterate(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
