// The example of docs/tools.md: its tools as plain functions, through the door, and called by an agent on each engine.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Event, ToolError } from '@toolyard/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shopToolkit } from '../../../../examples/own-tools/toolkit.ts';
import { textOf } from '../acceptance/turn-outline.ts';
import { createHome, type TestHome } from '../cli/toolyard-process.ts';

const folder = fileURLToPath(new URL('../../../../examples/own-tools/', import.meta.url));

function openShop() {
  const orders: unknown[] = [];
  const prices = new Map([['tea', 4]]);
  const [findPrice, placeOrder] = shopToolkit({
    prices,
    place: async (order) => void orders.push(order),
  }).tools;
  if (!findPrice || !placeOrder) throw new Error('the shop has two tools');
  return { orders, findPrice, placeOrder };
}

const context = {
  sessionId: 'ses_1',
  turnId: 'trn_1',
  toolCallId: 'call_1',
  cwd: '/',
  signal: new AbortController().signal,
  progress() {},
};

describe('as plain functions', () => {
  it('a price is found', async () => {
    expect(await openShop().findPrice.run({ item: 'tea' }, context)).toEqual({ item: 'tea', euros: 4 });
  });

  it('an item that is not there is told in words that help', async () => {
    await expect(openShop().findPrice.run({ item: 'gold' }, context)).rejects.toThrow(
      new ToolError('There is no "gold". Items: tea.'),
    );
  });

  it('an order is placed once, and not after an interruption', async () => {
    const { placeOrder, orders } = openShop();
    const order = { item: 'tea', count: 3 };
    expect(await placeOrder.run(order, context)).toEqual({ ordered: '3 × tea', euros: 12 });
    await expect(placeOrder.run(order, { ...context, signal: AbortSignal.abort() })).rejects.toThrow();
    expect(orders).toEqual([order]);
    expect(await placeOrder.preview?.(order, context)).toBe('3 × tea for 12 euros');
  });
});

describe('in a yard', () => {
  let home: TestHome;
  let server: ChildProcess;
  let printed = '';

  beforeAll(async () => {
    home = await createHome();
    const command = ['--conditions=toolyard-source', join(folder, 'serve.ts')];
    server = spawn(process.execPath, command, { cwd: home.work, env: home.env });
    await new Promise<void>((resolve, reject) => {
      server.stdout?.on('data', (bytes) => {
        printed += bytes;
        if (printed.includes('listens at')) resolve();
      });
      server.once('exit', (code) => reject(new Error(`the example ended with ${code}`)));
    });
  });
  afterAll(async () => {
    const gone = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGTERM');
    await gone;
    await home.end();
  });

  it('a person calls it under the same rules', async () => {
    const called = await home.run(['tools', 'call', 'mcp__shop__find_price', '{"item":"coffee"}', '--json']);
    expect(JSON.parse(called.stdout)).toMatchObject({ output: { item: 'coffee', euros: 7 }, isError: false });
    const wrong = await home.run(['tools', 'call', 'mcp__shop__find_price', '{"item":"gold"}']);
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no "gold". Items: tea,'),
    });
  });

  it.each(['native', 'claude'])('an agent calls it through the %s engine', async (engine) => {
    const client = await home.client();
    /** What the agent answers; asked for an approval, a person looks at it and allows it. */
    const ask = async (prompt: string) => {
      const { id } = await client.sessions.create({ engine, cwd: home.work });
      const events: Event[] = [];
      for await (const event of client.sessions.stream(id, prompt)) {
        events.push(event);
        if (event.type !== 'approval_required') continue;
        expect(event.data.approval.preview).toBe('2 × tea for 8 euros');
        await client.approvals.answer(event.data.approval.id, { decision: 'allow' });
      }
      return textOf(events);
    };
    const ordered = () => printed.match(/ordered: 2 × tea/g)?.length ?? 0;
    const before = ordered();
    expect(await Promise.all([ask('what is the price of tea'), ask('order tea')])).toEqual([
      'tea costs 4 euros.',
      'Ordered 2 × tea for 8 euros.',
    ]);
    await expect.poll(ordered).toBe(before + 1);
  });
});

it('the guide shows the tool as it is in the example, and names its files', async () => {
  const guide = await readFile(new URL('../../../../docs/tools.md', import.meta.url), 'utf8');
  const toolkit = await readFile(join(folder, 'toolkit.ts'), 'utf8');
  for (const line of ["name: 'find_price',", "title: 'Find a price',", "effect: 'read',", "tier: 'auto',"]) {
    expect([guide.includes(line), toolkit.includes(line)]).toEqual([true, true]);
  }
});
