// A command's connection to the server. When it breaks, finds or starts the server again, and the command continues.
import { type Client, isBrokenLine } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { type Connection, connect, waitForServer } from './connect.ts';

/** A supervisor may restart the server within this time; after it, the command starts one. */
const returnTimeoutMs = 2_000;
const maxAttempts = 3;

export interface ServerLink {
  readonly client: Client;
  /** A client whose requests have no timeout. */
  readonly clientWithoutTimeout: Client;
  /** Sends a request, and retries it after a lost connection, so `work` must be safe to repeat. */
  ask<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** Waits for the server, or starts one. */
  reconnect(): Promise<void>;
}

export async function createServerLink(caller: Pick<Call, 'env' | 'terminal'>): Promise<ServerLink> {
  let connection: Connection = await connect(caller);
  let reconnecting: Promise<void> | undefined;

  /** Concurrent callers share one attempt. */
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
