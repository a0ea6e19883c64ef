// A grant for a command holds in the directory it was given for: the same words run another program elsewhere.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { defineTool, defineToolkit } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { firstPending, openLedgerYard } from '../../support/ledger.ts';
import { makeFolder } from '../../support/workspace.ts';

function createRunKit() {
  const ran: string[] = [];
  const run = defineTool({
    name: 'run',
    title: 'Run',
    description: 'Runs a command.',
    effect: 'execute',
    tier: 'session',
    input: z.strictObject({ command: z.string() }),
    output: z.object({ ran: z.string() }),
    grantKey: ({ command }) => command,
    run: async ({ command }, { cwd }) => {
      ran.push(cwd);
      return { ran: command };
    },
  });
  return { ran, kit: defineToolkit({ name: 'runs', server: 'suite', tools: [run] }) };
}

it('P4: a command that is always allowed in a workspace is asked about again in a folder below it', async () => {
  const { kit, ran } = createRunKit();
  const { yard } = await openLedgerYard('', { toolkits: [kit] });
  const client = yard.client();
  const workspace = makeFolder({ 'toolyard.yaml': '' });
  const below = join(workspace, 'vendor/evil');
  await mkdir(below, { recursive: true });
  const call = async (cwd: string, command = './build.sh') => {
    const { id: sessionId } = await client.sessions.create({ cwd });
    return client.tools.call('mcp__suite__run', { input: { command }, sessionId });
  };
  const keys: string[] = [];
  // The second is spelled as the key of the first in the folder below might be.
  for (const command of ['./build.sh', 'in "vendor/evil": ./build.sh']) {
    const first = call(workspace, command);
    const { id, grantKey } = await firstPending(yard);
    keys.push(grantKey);
    await client.approvals.answer(id, { decision: 'allow', scope: 'always' });
    await first;
    await call(workspace, command);
  }
  const elsewhere = call(below);
  const again = await firstPending(yard);
  expect([...keys, again.grantKey]).toEqual([
    'mcp__suite__run ./build.sh',
    'mcp__suite__run in "vendor/evil": ./build.sh',
    'mcp__suite__run, in "vendor/evil": ./build.sh',
  ]);
  await client.approvals.answer(again.id, { decision: 'deny' });
  expect(await elsewhere).toMatchObject({ isError: true });
  expect(ran).toEqual(Array(4).fill(workspace));
});
