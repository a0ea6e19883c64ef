// A command's line to the server: when it breaks, the server is found again, or started again, and the work goes on.
import { type Client, isBrokenLine } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { type Connection, connect, waitForServer } from './connect.ts';

/** Whoever looks after the server may bring it back within this time; only then does a command start its own. */
const returnTimeoutMs = 2_000;
const maxAttempts = 3;

export interface ServerLink {
  readonly client: Client;
  /** One whose requests wait for their answer as long as the server takes. */
  readonly clientWithoutTimeout: Client;
  /** Asks the server; after a broken line once more, so `work` must be safe to repeat. */
  ask<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** Waits for the server, or starts one. */
  reconnect(): Promise<void>;
}

export async function createServerLink(caller: Pick<Call, 'env' | 'terminal'>): Promise<ServerLink> {
  let connection: Connection = await connect(caller);
  let reconnecting: Promise<void> | undefined;

  /** Whoever finds the line broken meanwhile waits for the same new one. */
  function reconnect(): Promise<void> {
    reconnecting ??= connectAgain().finally(() => {
      reconnecting = undefined;
    });
    return reconnecting;
  }

  async function connectAgain(): Promise<void> {
    await waitForServer(connection.home, Date.now() + returnTimeoutMs);
    connection = await connect(caller);
  }

  async function ask<T>(work: (client: Client) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work(connection.client);
      } catch (thrown) {
        if (!isBrokenLine(thrown) || attempt === maxAttempts) throw thrown;
        await reconnect();
      }
    }
  }

  return {
    get client() {
      return connection.client;
    },
    get clientWithoutTimeout() {
      return connection.clientWithoutTimeout;
    },
    ask,
    reconnect,
  };
}
