// A home for trees of agents that is killed and started again: what their models say, and what can be seen of them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Agent } from '@toolyard/sdk';
import { until } from '../sandbox/support.ts';
import { type ClaudeHome, createClaudeHome } from './claude-home.ts';
import { databaseOf } from './rows.ts';
import type { Ready } from './server-process.ts';

export const toolyard = (name: string, input: object = {}) => ({
  call: { tool: `mcp__toolyard__${name}`, input },
});
export const draft = (prompt: string, role = 'coordinator') =>
  toolyard('draft_agent', { role, prompt, taskSlug: 'tree' });
export const wait = toolyard('await_agent', { agentId: '{{result.agentId}}' });
export const heard = { reply: [{ text: '{{user}} heard {{results}}' }] };
export const slow = { pace: { initialDelayMs: 60_000 }, reply: [{ text: 'late' }] };

const asker =
  '---\nname: asker\ndescription: Asks\ncategory: coding\ntools: { allow: [mcp__toolyard__ping] }\n---\nAsk.\n';

export async function openTree(rules: unknown[], limits: object = {}) {
  const home = await createClaudeHome(rules);
  const config = { defaults: { engine: 'native' }, claude: { spare: false }, limits };
  writeFileSync(join(home.home, 'config.yaml'), JSON.stringify(config));
  mkdirSync(join(home.home, 'roles'));
  writeFileSync(join(home.home, 'roles', 'asker.md'), asker);
  return home;
}

export async function send(
  { client }: Ready,
  text: string,
  mode: 'default' | 'bypassPermissions' = 'bypassPermissions',
) {
  await client.tasks.create({ slug: 'tree' });
  const { id } = await client.sessions.create({ role: 'coordinator', taskSlug: 'tree', mode });
  const { turnId } = await client.sessions.send(id, text);
  return { id, turnId };
}

/** Oldest first. */
export async function agentsOf({ client }: Ready): Promise<Agent[]> {
  return (await client.agents.list({ all: true, limit: 500 })).items.reverse();
}

export async function untilAgents(ready: Ready, isSo: (agents: Agent[]) => boolean): Promise<void> {
  await until(async () => isSo(await agentsOf(ready)), 20_000);
}

/** All but the last wait for the one below, by their calls and by what is said of them. */
export async function untilChain(home: ClaudeHome, ready: Ready, length: number): Promise<void> {
  await until(() => countWaits(databaseOf(home.home)) === length, 20_000);
  const wanted = [...Array.from({ length: length - 1 }, () => 'waiting'), 'running'];
  await untilAgents(ready, (agents) => `${agents.map(({ status }) => status)}` === `${wanted}`);
}

export function countWaits(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    const count = "SELECT count(*) AS n FROM tool_calls WHERE tool LIKE '%await_agent' AND state = 'started'";
    return Number(database.prepare(count).get()?.n);
  } finally {
    database.close();
  }
}

export const isOver = (agents: readonly Agent[]) => agents.every(({ endedAt }) => endedAt !== undefined);
