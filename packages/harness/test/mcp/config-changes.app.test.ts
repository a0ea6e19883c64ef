// What a person changes in configuration and roles counts for MCP clients from the next call on, whatever session their
// calls were written into before.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentToken, connect, eras, type McpYard, openMcpYard, pendingOf } from './clients.ts';

const pay = { name: 'pay', arguments: { to: 'Ann' } };

async function restart({ yard }: McpYard, config: string): Promise<McpYard> {
  await yard.close();
  await writeFile(join(yard.home, 'config.yaml'), config);
  return openMcpYard(config, { home: yard.home });
}

const sessionsOf = async ({ yard }: McpYard) =>
  (await yard.client().sessions.list()).items.map(({ role, mode }) => ({ role, mode })).reverse();

it('a mode that was tightened counts for a caller without sessions at once', async () => {
  const before = await openMcpYard('defaults: { mode: bypassPermissions }');
  const token = await agentToken(before, 'assistant');
  await (await connect(before, { era: 'modern', token })).callTool(pay);
  expect(before.witness.paid).toEqual(['Ann']);
  const after = await restart(before, 'defaults: { mode: default }');
  const client = await connect(after, { era: 'modern', token });
  const call = client.callTool(pay);
  const [approval] = await pendingOf(after);
  await after.yard.client().approvals.answer(approval?.id ?? '', { decision: 'deny' });
  expect(await call).toMatchObject({ isError: true });
  expect(after.witness.paid).toEqual([]);
  expect(await sessionsOf(after)).toEqual([
    { role: 'assistant', mode: 'bypassPermissions' },
    { role: 'assistant', mode: 'default' },
  ]);
});

it('a default role that was changed is the one whose tools are listed and called', async () => {
  const before = await openMcpYard('defaults: { mode: bypassPermissions }');
  await (await connect(before, { era: 'modern' })).callTool(pay);
  const after = await restart(before, 'defaults: { mode: bypassPermissions, role: reviewer }');
  const client = await connect(after, { era: 'modern' });
  const offered = (await client.listTools()).tools.map(({ name }) => name);
  expect(offered.some((name) => name.endsWith('pay'))).toBe(false);
  await expect(client.callTool(pay)).rejects.toMatchObject({ code: -32602 });
  expect(after.witness.paid).toEqual([]);
  expect((await sessionsOf(after)).map(({ role }) => role)).toEqual(['assistant', 'reviewer']);
});

it.each(eras)('a role that changes its mode counts for the next call of a %s client', async (era) => {
  const house = await openMcpYard();
  const file = join(house.yard.home, 'roles', 'payer.md');
  const write = (mode: string) =>
    writeFile(
      file,
      `---\nname: payer\ndescription: Pays.\ncategory: conversational\nmode: ${mode}\n---\nPay.\n`,
    );
  await mkdir(join(house.yard.home, 'roles'), { recursive: true });
  await write('bypassPermissions');
  const client = await connect(house, { era, query: '?role=payer' });
  await client.callTool(pay);
  await client.callTool(pay);
  await write('plan');
  expect(await client.callTool(pay)).toMatchObject({ isError: true });
  expect(house.witness.paid).toEqual(['Ann', 'Ann']);
  expect(await sessionsOf(house)).toEqual([
    { role: 'payer', mode: 'bypassPermissions' },
    { role: 'payer', mode: 'plan' },
  ]);
});

it('a mode that a person gave the session of the day is kept', async () => {
  const house = await openMcpYard();
  const client = await connect(house, { era: 'modern' });
  await client.callTool({ name: 'echo', arguments: { text: '' } });
  const [session] = (await house.yard.client().sessions.list()).items;
  await house.yard.client().sessions.change(session?.id ?? '', { mode: 'bypassPermissions' });
  await client.callTool(pay);
  expect(house.witness.paid).toEqual(['Ann']);
  expect(await sessionsOf(house)).toEqual([{ role: 'assistant', mode: 'bypassPermissions' }]);
});
