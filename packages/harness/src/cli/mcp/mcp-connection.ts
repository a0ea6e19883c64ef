// The line from the bridge to /mcp: finds the server again when it has gone, and introduces the client to a new one as
// it introduced itself, so that a restart of the server does not end the client's session.
import { type Exchange, exchange, type Sending } from './mcp-exchange.ts';
import { type Message, parseMessage, toHeaders, toRevision } from './mcp-messages.ts';

export interface Target {
  url: URL;
  token: string;
}

export interface McpConnection {
  /** Resolves when the server has taken the message and begins to answer. Never sends twice what was taken. */
  deliver(message: Message, signal: AbortSignal): Promise<Exchange>;
  /** Remembers how the client introduced itself, and hears from now on what the server says of its own accord. */
  introduced(message: Message, answer: Exchange): void;
  /** Learns what was agreed from what comes back. */
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

  /** What the server says of its own accord; also how it knows that somebody is still there. */
  async function listen(): Promise<void> {
    const headers = { accept: 'text/event-stream' };
    const stream = await send({ method: 'GET', headers, signal: closing.signal });
    if (stream.status === 200) for await (const message of stream.messages()) onMessage(message);
  }

  function begin(message: Message, answer: Exchange): void {
    introduction = message;
    session = { ...(answer.sessionId && { id: answer.sessionId }) };
    // A server that goes away is noticed by the next message.
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

/** Nobody listened, so nothing can have happened. */
function wasRefused(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ECONNREFUSED';
}
