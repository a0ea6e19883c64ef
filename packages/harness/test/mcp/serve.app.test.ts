import { pause } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { openTestYard, readUntil } from '../support/yard.ts';
import { connect, eras, forReaders, type McpYard, openMcpYard, until } from './clients.ts';

const structured = (output: object) => ({
  content: [{ type: 'text', text: JSON.stringify(output) }],
  structuredContent: output,
});

describe.each(eras)('a client of the %s protocol', (era) => {
  it('hears who serves it', async () => {
    const client = await connect(await openMcpYard(), { era });
    expect(client.getServerVersion()).toEqual({ name: 'toolyard', version: 'development' });
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
    expect(client.getNegotiatedProtocolVersion()).toBe(era === 'modern' ? '2026-07-28' : '2025-11-25');
  });

  it('lists exactly the tools of its role: ours by their short names, others by their full ones', async () => {
    const house = await openMcpYard();
    const nameOf = ({ name }: { name: string }) => name;
    const listed = async (query: string) =>
      (await (await connect(house, { era, query })).listTools()).tools.map(nameOf);
    const offered = (role: string) =>
      house.yard
        .client()
        .tools.list({ role })
        .then(({ items }) => items.filter(({ offered }) => offered).map(nameOf));

    expect(await listed('')).toEqual(
      (await offered('assistant')).map((name) => name.replace('mcp__toolyard__', '')),
    );
    expect(await listed('')).toEqual(expect.arrayContaining(['ping', 'echo', 'mcp__math__add']));
    expect(await listed('?role=reviewer')).toEqual(forReaders);
    expect(await offered('reviewer')).toEqual(forReaders.map((name) => `mcp__toolyard__${name}`));
  });

  it('sees what a tool takes, gives and does', async () => {
    const client = await connect(await openMcpYard(), { era });
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'pay')).toEqual({
      name: 'pay',
      title: 'Pay',
      description: 'Pays somebody.',
      inputSchema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { to: { type: 'string' } },
        required: ['to'],
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: { paid: { type: 'string' }, onlyText: expect.any(Object) },
        anyOf: [{ required: ['paid'] }, { required: ['onlyText'] }],
        additionalProperties: false,
      },
      annotations: { title: 'Pay', readOnlyHint: false },
    });
  });

  it('gets the output as structured content and as JSON in the first text', async () => {
    const client = await connect(await openMcpYard(), { era });
    const sum = { name: 'mcp__math__add', arguments: { a: 2, b: 3 } };
    expect(await client.callTool(sum)).toMatchObject(structured({ sum: 5 }));
    // The full name of one of ours is as good as the short one.
    const full = await client.callTool({ name: 'mcp__toolyard__step', arguments: { reports: 0 } });
    expect(full).toMatchObject(structured({ steps: 0 }));
  });

  it('hears of a failure in words, and nothing of its cause', async () => {
    const client = await connect(await openMcpYard(), { era });
    const call = (name: string, input: Record<string, unknown>) =>
      client.callTool({ name, arguments: input });
    const failed = (text: unknown) => ({ content: [{ type: 'text', text }], isError: true });
    expect(await call('fail', { how: 'told' })).toMatchObject(failed('ENOENT: there is no such thing'));
    const broken = await call('fail', { how: 'broken' });
    expect(broken).toMatchObject(failed(expect.stringContaining('mcp__toolyard__fail failed')));
    expect(JSON.stringify(broken)).not.toContain('secret cause');
    expect(await call('pay', { to: 7 })).toMatchObject(
      failed(expect.stringMatching(/^Invalid input for .*pay/)),
    );
    await expect(call('nonsense', {})).rejects.toMatchObject({ code: -32602 });
  });

  it('is told that a tool its role lacks is not there, and the attempt is on record', async () => {
    const house = await openMcpYard();
    const client = await connect(house, { era, query: '?role=reviewer' });
    const pay = { name: 'pay', arguments: { to: 'me' } };
    await expect(client.callTool(pay)).rejects.toMatchObject({ code: -32602 });
    expect(house.witness.paid).toEqual([]);
    const { items } = await house.yard.client().audit.list();
    expect(items.map(({ tool, decision, rule }) => ({ tool, decision, rule }))).toEqual([
      { tool: 'mcp__toolyard__pay', decision: 'deny', rule: 'not offered to this role' },
    ]);
  });

  it('gets an output that is too long as text with a key to the rest, and its own check of the schema agrees', async () => {
    const client = await connect(await openMcpYard('output: { maxBytes: 2048 }'), { era });
    await client.listTools();
    const long = await client.callTool({ name: 'echo', arguments: { text: 'x'.repeat(10_000) } });
    const { structuredContent, content } = long;
    expect(structuredContent).toEqual({ onlyText: { outputId: expect.stringMatching(/^out_/) } });
    expect(JSON.stringify(content).length).toBeLessThan(3_000);
    const { outputId } = (structuredContent as { onlyText: { outputId: string } }).onlyText; // as just compared
    const piece = { output_id: outputId, offset: 5_000, length: 100 };
    const rest = await client.callTool({ name: 'read_output', arguments: piece });
    expect(rest.structuredContent).toMatchObject({ text: 'x'.repeat(100) });
  });

  it('hears progress, each number above the last, when it asked for it', async () => {
    const client = await connect(await openMcpYard(), { era });
    const heard: unknown[] = [];
    await client.callTool(
      { name: 'step', arguments: {} },
      { onprogress: (progress) => heard.push(progress) },
    );
    expect(heard).toEqual([
      { progress: 1, total: 3, message: 'step 1' },
      { progress: 2, total: 3, message: 'step 2' },
      { progress: 3, total: 3, message: 'step 3' },
    ]);
  });

  it('is not flooded by a tool that reports without end', async () => {
    const client = await connect(await openMcpYard(), { era });
    let heard = 0;
    const onprogress = () => void heard++;
    await client.callTool({ name: 'step', arguments: { reports: 50_000 } }, { onprogress });
    expect(heard).toBeGreaterThan(50);
    expect(heard).toBeLessThan(500);
  });

  it('stops the handler when it takes a call back (P13)', async () => {
    const { witness, ...house } = await openMcpYard();
    const client = await connect({ witness, ...house }, { era });
    const giveUp = new AbortController();
    const call = client.callTool({ name: 'linger', arguments: {} }, { signal: giveUp.signal });
    const failed = expect(call).rejects.toThrow();
    await until(() => witness.lingered.length === 1);
    giveUp.abort();
    await failed;
    await until(() => witness.lingered.length === 2);
    expect(witness.lingered).toEqual(['began', 'stopped']);
    expect(await client.callTool({ name: 'step', arguments: {} })).toMatchObject(structured({ steps: 3 }));
  });
});

describe('the sessions that calls are written into', () => {
  it('are one for each client that holds a session, opened by its first call', async () => {
    const house = await openMcpYard();
    const [one, two] = [await connect(house, { era: 'legacy' }), await connect(house, { era: 'legacy' })];
    await one.listTools();
    expect((await house.yard.client().sessions.list()).items).toEqual([]);
    const sessionOf = async (client: typeof one) =>
      (await client.callTool({ name: 'echo', arguments: { text: '' } })).structuredContent;
    const [first, again, other] = [await sessionOf(one), await sessionOf(one), await sessionOf(two)];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    const { items } = await house.yard.client().sessions.list();
    expect(items.map(({ title, engine, role }) => ({ title, engine, role }))).toEqual([
      { title: 'MCP client a test', engine: 'direct', role: 'assistant' },
      { title: 'MCP client a test', engine: 'direct', role: 'assistant' },
    ]);
  });

  it('are one a day for each token and role where every request stands alone', async () => {
    const house = await openMcpYard();
    const echo = { name: 'echo', arguments: { text: '' } };
    for (const query of ['', '', '?role=coordinator']) {
      const client = await connect(house, { era: 'modern', query });
      await Promise.all([client.callTool(echo), client.callTool(echo)]);
    }
    const { items } = await house.yard.client().sessions.list();
    expect(items.map(({ role }) => role).sort()).toEqual(['assistant', 'coordinator']);
    const today = new Date().toISOString().slice(0, 10);
    expect(items.map(({ title }) => title).sort()).toEqual([
      `MCP calls of owner as assistant, mode default, on ${today}`,
      `MCP calls of owner as coordinator, mode default, on ${today}`,
    ]);
  });
});

/** Whether the server would count this moment as one with nothing to do. */
async function isIdle({ yard }: McpYard): Promise<boolean> {
  await pause(50);
  const { idleSince = Date.now() } = yard.activity();
  return Date.now() - idleSince > 25;
}

describe('a server with a client that listens', () => {
  it('is not idle until the client has left', async () => {
    const house = await openMcpYard();
    const client = await connect(house, { era: 'legacy' });
    await until(async () => !(await isIdle(house)));
    expect(await isIdle(house)).toBe(false);
    await client.close();
    await until(() => isIdle(house));
  });
});

describe('a server that stops', () => {
  it.each(eras)('stops the calls of %s clients and leaves no turn running', async (era) => {
    const house = await openMcpYard();
    const client = await connect(house, { era });
    const call = client.callTool({ name: 'linger', arguments: {} });
    await until(() => house.witness.lingered.length === 1);
    expect(await isIdle(house)).toBe(false);
    await house.yard.close();
    expect(await call).toMatchObject(structured({}));
    expect(house.witness.lingered).toEqual(['began', 'stopped']);
    const again = await openTestYard({ home: house.yard.home });
    const [session] = (await again.client().sessions.list()).items;
    const events = await readUntil(again, session?.id ?? '', ({ type }) => type === 'turn_end');
    expect(events.at(-1)?.data).toMatchObject({ outcome: 'failed', error: { code: 'restarted' } });
  });
});
