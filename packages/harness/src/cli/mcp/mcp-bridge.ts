// Passes messages between a client on stdin and stdout and the home's server at /mcp. Answers itself only when the
// server cannot, and decides nothing.
import { ErrorBody, pause, ToolyardError } from '@toolyard/sdk';
import type { McpConnection } from './mcp-connection.ts';
import type { Exchange } from './mcp-exchange.ts';
import { type Message, parseMessage, toCancelled, toErrorAnswer, toRevision } from './mcp-messages.ts';

export interface Bridge {
  /** Takes a message from the client. Answers go to `write`. */
  take(message: Message): void;
  /** Waits up to this long for running requests, then aborts them. */
  close(timeoutMs: number): Promise<void>;
}

interface RunningRequest {
  stop: AbortController;
  /** Uses the newer protocol, in which closing the connection cancels a request. */
  isStateless: boolean;
}

export function createBridge(connection: McpConnection, write: (message: unknown) => void): Bridge {
  const underWay = new Map<unknown, RunningRequest>();
  const working = new Set<Promise<void>>();
  let inOrder = Promise.resolve();

  /** Forwards the messages that come back. Returns whether the request was answered. */
  async function pass(message: Message, answer: Exchange): Promise<boolean> {
    const introduces = message.method === 'initialize' && !toRevision(message);
    if (introduces) connection.introduced(message, answer);
    let answered = answer.status === 202;
    for await (const each of answer.messages()) {
      const parsed = parseMessage(each);
      if (introduces) connection.learn(parsed);
      answered ||= parsed?.id === message.id && parsed?.method === undefined;
      write(each);
    }
    return answered;
  }

  async function refuse({ id }: Message, answer: Exchange): Promise<void> {
    const { value } = await answer.messages().next();
    const parsed = parseMessage(value);
    if (parsed?.jsonrpc === '2.0') return write({ ...parsed, id });
    const why = ErrorBody.safeParse(value).data?.error.message ?? `The server answered ${answer.status}.`;
    write(toErrorAnswer(id, why));
  }

  async function settle(message: Message, answer: Exchange, signal: AbortSignal): Promise<void> {
    if (answer.status >= 400) return isRequest(message) ? refuse(message, answer) : undefined;
    const answered = await pass(message, answer);
    if (!answered && isRequest(message) && !signal.aborted)
      write(toErrorAnswer(message.id, serverGoneMessage));
  }

  /** Resolves when the server has the message; its answer is forwarded later. */
  async function forward(message: Message): Promise<void> {
    const stop = new AbortController();
    const own = { stop, isStateless: toRevision(message) !== undefined };
    if (isRequest(message)) underWay.set(message.id, own);
    const fail = (thrown: unknown) => {
      const why = thrown instanceof ToolyardError ? thrown.message : serverGoneMessage;
      if (isRequest(message) && !stop.signal.aborted) write(toErrorAnswer(message.id, why));
    };
    const taken = connection.deliver(message, stop.signal);
    const settled = taken
      .then((answer) => settle(message, answer, stop.signal))
      .catch(fail)
      .finally(() => {
        if (underWay.get(message.id) === own) underWay.delete(message.id);
        working.delete(settled);
      });
    working.add(settled);
    // No other message may overtake `initialize`.
    await (message.method === 'initialize' ? settled : taken.catch(() => {}));
  }

  async function finish(): Promise<void> {
    await inOrder;
    await Promise.all(working);
  }

  return {
    take(message) {
      const cancelled = underWay.get(toCancelled(message));
      if (cancelled?.isStateless) cancelled.stop.abort();
      else if (toRevision(message)) void forward(message);
      else inOrder = inOrder.then(() => forward(message));
    },
    async close(timeoutMs) {
      const finished = new AbortController();
      finish().then(() => finished.abort());
      await pause(timeoutMs, finished.signal);
      for (const { stop } of underWay.values()) stop.abort();
      await connection.close();
    },
  };
}

const serverGoneMessage =
  'The Toolyard server stopped during this request. The request may have had its effect; check before you repeat it.';

function isRequest({ id, method }: Message): boolean {
  return id !== undefined && method !== undefined;
}
