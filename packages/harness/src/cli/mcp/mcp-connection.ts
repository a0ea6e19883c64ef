// The connection from the bridge to /mcp. Finds the server again after a restart and repeats the client's `initialize`,
// so that a restart does not end the client's session.
import { type Exchange, exchange, type Sending } from './mcp-exchange.ts';
import { type Message, parseMessage, toHeaders, toRevision } from './mcp-messages.ts';

export interface Target {
  url: URL;
  token: string;
}

export interface McpConnection {
  /** Resolves when the server accepts the message and begins to answer. Never resends an accepted message. */
  deliver(message: Message, signal: AbortSignal): Promise<Exchange>;
  /** Stores the client's `initialize`, and starts to listen for messages that the server sends unasked. */
  introduced(message: Message, answer: Exchange): void;
  /** Stores the protocol version from the answer to `initialize`. */
  learn(answer: Message | undefined): void;
  close(): Promise<void>;
}

export interface McpConnectionOptions {
  /** Finds the server, or starts one. */
  open(): Promise<Target>;
  onMessage(message: unknown): void;
}

const closeTimeoutMs = 1_000;

export function createMcpConnection({ open, onMessage }: McpConnectionOptions): McpConnection {
  const closing = new AbortController();
  let target: Promise<Target> | undefined;
  let session: { id?: string; version?: string } = {};
  let introduction: Message | undefined;

  async function send(sending: Sending): Promise<Exchange> {
    target ??= open();
    const { url, token } = await target.catch((thrown: unknown) => {
      target = undefined;
      throw thrown;
    });
    const { id, version } = session;
    const own = { ...(id && { 'mcp-session-id': id }), ...(version && { 'mcp-protocol-version': version }) };
    const headers = { authorization: `Bearer ${token}`, ...own, ...sending.headers };
    return exchange(url, { ...sending, headers });
  }

  const post = (message: Message, signal = closing.signal) =>
    send({ method: 'POST', headers: toHeaders(message), body: message, signal });

  /** Reads messages that the server sends unasked. The open stream also tells the server that the client is alive. */
  async function listen(): Promise<void> {
    const headers = { accept: 'text/event-stream' };
    const stream = await send({ method: 'GET', headers, signal: closing.signal });
    if (stream.status === 200) for await (const message of stream.messages()) onMessage(message);
  }

  function begin(message: Message, answer: Exchange): void {
    introduction = message;
    session = { ...(answer.sessionId && { id: answer.sessionId }) };
    // The next message detects a server that is gone.
    listen().catch(() => {});
  }

  function learn(answer: Message | undefined): void {
    const result = answer?.result;
    const isNamed = typeof result === 'object' && result !== null && 'protocolVersion' in result;
    if (isNamed && typeof result.protocolVersion === 'string') session.version = result.protocolVersion;
  }

  async function introduceAgain(message: Message): Promise<void> {
    session = {};
    const answer = await post({ ...message, id: 'introduced-again' });
    begin(message, answer);
    for await (const each of answer.messages()) learn(parseMessage(each));
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  return {
    async deliver(message, signal) {
      const first = await post(message, signal).catch((thrown: unknown) => {
        if (!wasRefused(thrown)) throw thrown;
        target = undefined;
        return post(message, signal);
      });
      if (first.status !== 404 || !introduction || toRevision(message)) return first;
      await introduceAgain(introduction);
      return post(message, signal);
    },
    introduced: begin,
    learn,
    async close() {
      closing.abort();
      if (!session.id || !target) return;
      const signal = AbortSignal.timeout(closeTimeoutMs);
      await send({ method: 'DELETE', headers: {}, signal }).catch(() => {});
    },
  };
}

/** Connection refused: no server got the message, so it is safe to resend. */
function wasRefused(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ECONNREFUSED';
}
