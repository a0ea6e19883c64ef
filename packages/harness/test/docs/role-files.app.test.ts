// Holds the roles that ship to the tools there are: what a role tells an agent to call, it can call.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../../../scripts/source/repository.ts';
import { openTestYard } from '../support/yard.ts';

const folder = join(root, 'packages/harness/roles');
const files = await readdir(folder);

/** `draft_agent` in backticks: only tools are written so. */
async function toolsNamedIn(file: string): Promise<string[]> {
  const text = await readFile(join(folder, file), 'utf8');
  return [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name]) => `mcp__toolyard__${name}`);
}

it.each(files)('%s names only tools that its agents have, and sets no limits', async (file) => {
  const client = (await openTestYard()).client();
  const role = file.replace('.md', '');
  const { items } = await client.tools.list({ role });
  // Every drafted agent has it, whatever its role.
  const offered = [...items.map(({ name }) => name), 'mcp__toolyard__report_result'];
  expect((await toolsNamedIn(file)).filter((name) => !offered.includes(name))).toEqual([]);
  const roles = await client.roles.list();
  expect(roles.items.find(({ name }) => name === role)?.limits).toBeUndefined();
});

it('a coordinator is told of the tools that it coordinates with, and others of how they report', async () => {
  const named = await toolsNamedIn('coordinator.md');
  expect(named.map((name) => name.replace('mcp__toolyard__', ''))).toEqual([
    ...['draft_agent', 'await_agent', 'await_any_agent', 'kill_agent', 'get_task_context'],
  ]);
  for (const file of ['developer.md', 'reviewer.md', 'researcher.md'])
    expect(await toolsNamedIn(file)).toEqual(['mcp__toolyard__report_result']);
});
