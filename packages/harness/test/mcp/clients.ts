// A yard on a real socket with tools to try, and the official client of either age of the protocol.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  Client,
  type ClientCapabilities,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { type Approval, pause } from '@toolyard/sdk';
import { onTestFinished } from 'vitest';
import type { YardOptions } from '../../src/app.ts';
import { openTestYard, type TestYard, temporaryDirectory } from '../support/yard.ts';
import { createToolkits } from './toolkits.ts';

export type Era = 'legacy' | 'modern';
export const eras: readonly Era[] = ['legacy', 'modern'];

/** What every role has. */
export const forReaders = ['read_output', 'list_agents', 'report_result', 'list_tasks', 'get_task_context'];

export interface McpYard {
  yard: TestYard;
  /** Of the server, without a path. */
  url: string;
  witness: ReturnType<typeof createToolkits>['witness'];
}

export async function openMcpYard(config = '', options: Partial<YardOptions> = {}): Promise<McpYard> {
  const { witness, toolkits } = createToolkits();
  const home = await temporaryDirectory();
  if (config) await writeFile(join(home, 'config.yaml'), config);
  const yard = await openTestYard({ home, toolkits, ...options });
  const { url } = await yard.listen({ host: '127.0.0.1', port: 0 });
  return { yard, url, witness };
}

export interface ClientOptions {
  era: Era;
  token?: string;
  /** For example `?role=reviewer`. */
  query?: string;
  /** How the person at the client answers; without it the client cannot ask. */
  onElicitation?: (message: string) => ElicitResult | Promise<ElicitResult>;
}

export async function connect({ yard, url }: McpYard, options: ClientOptions): Promise<Client> {
  const { era, token = yard.token, query = '', onElicitation } = options;
  const capabilities: ClientCapabilities = onElicitation ? { elicitation: { form: {} } } : {};
  const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
  const client = new Client({ name: 'a test', version: '1' }, { capabilities, versionNegotiation: { mode } });
  if (onElicitation) {
    client.setRequestHandler('elicitation/create', ({ params }) => onElicitation(params.message));
  }
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`/mcp${query}`, url), { requestInit: { headers } }),
  );
  onTestFinished(() => client.close());
  return client;
}

/** An agent's token for a role. */
export async function agentToken({ yard }: McpYard, role: string): Promise<string> {
  const { secret } = await yard.client().tokens.create({ name: 'test', kind: 'agent', role });
  return secret;
}

/** The approvals that wait, once there are as many. */
export async function pendingOf({ yard }: McpYard, count = 1): Promise<Approval[]> {
  for (let tries = 0; tries < 250; tries++) {
    const { items } = await yard.client().approvals.list({ state: 'pending' });
    if (items.length >= count) return items;
    await pause(20);
  }
  throw new Error('nobody was asked');
}

/** Waits until something is so, or fails after five seconds. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 250; tries++) {
    if (await isSo()) return;
    await pause(20);
  }
  throw new Error(`never so: ${isSo}`);
}
