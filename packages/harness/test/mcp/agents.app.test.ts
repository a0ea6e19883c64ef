// Agents that a client of /mcp has drafted stay its own, and its limits go on, however often it connects anew.

import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Script, scriptedBy } from '../core/agents/stage.ts';
import { openTestYard } from '../support/yard.ts';
import { agentToken, connect, type Era, eras, type McpYard } from './clients.ts';

const scripts: Record<string, Script> = {
  done: () => [{ text: 'Did it.' }],
  stay: () => [{ text: 'Here.' }, { untilAborted: true }],
};

async function openYard(limits: object, home?: string): Promise<McpYard> {
  const overlay = { limits, defaults: { mode: 'bypassPermissions' as const } };
  const yard = await openTestYard({ engine: scriptedBy(scripts), overlay, ...(home && { home }) });
  const { url } = await yard.listen({ host: '127.0.0.1', port: 0 });
  return { yard, url } as McpYard;
}

/** One call of a connection that is made for it. */
async function call(
  house: McpYard,
  era: Era,
  token: string,
  name: string,
  input: Record<string, unknown>,
  query = '',
): Promise<unknown> {
  const client = await connect(house, { era, token, query });
  const { structuredContent, content, isError } = await client.callTool({ name, arguments: input });
  await client.close();
  return isError ? Object(content)[0].text : structuredContent;
}

const developer = (prompt: string) => ({ role: 'developer', prompt });

describe.each(eras)('a client of the %s protocol that connects anew', (era) => {
  it('awaits, lists and kills what it has drafted before, also after a restart', async () => {
    const first = await openYard({});
    const token = await agentToken(first, 'coordinator');
    const drafted = await call(first, era, token, 'draft_agent', developer('done'));
    const { agentId } = Object(drafted);
    expect(await call(first, era, token, 'await_agent', { agentId })).toMatchObject({ status: 'done' });
    await first.yard.close();

    const second = await openYard({}, first.yard.home);
    expect(await call(second, era, token, 'await_agent', { agentId })).toMatchObject({
      status: 'done',
      result: { summary: 'Did it.' },
    });
    const other = Object(await call(second, era, token, 'draft_agent', developer('stay'))).agentId;
    expect(await call(second, era, token, 'list_agents', { all: true })).toMatchObject({
      agents: [{ id: other }, { id: agentId }],
    });
    expect(await call(second, era, token, 'kill_agent', { agentId: other })).toMatchObject({ success: true });
  });

  it('has no more agents than before', async () => {
    const house = await openYard({ maxAgents: 3, maxChildren: 2 });
    const token = await agentToken(house, 'coordinator');
    const draft = (prompt: string) => call(house, era, token, 'draft_agent', developer(prompt));
    const { agentId } = Object(await draft('stay'));
    await draft('stay');
    expect(await draft('stay')).toContain('maxChildren');
    await call(house, era, token, 'kill_agent', { agentId });
    await draft('stay');
    await house.yard.close();
    const again = await openYard({ maxAgents: 3, maxChildren: 9 }, house.yard.home);
    expect(await call(again, era, token, 'draft_agent', developer('done'))).toContain('maxAgents');
  });
});

describe('a client that drafts many at once', () => {
  it('has one run for all of them, and no more than it may have', async () => {
    const house = await openYard({ maxChildren: 2 });
    const token = await agentToken(house, 'coordinator');
    const client = await connect(house, { era: 'modern', token });
    const drafts = Array.from({ length: 8 }, () =>
      client.callTool({ name: 'draft_agent', arguments: developer('stay') }),
    );
    const refused = (await Promise.all(drafts)).filter(({ isError }) => isError);
    const agents = (await house.yard.client().agents.list({ all: true })).items;
    expect([refused.length, agents.length, new Set(agents.map(({ runId }) => runId)).size]).toEqual([
      6, 2, 1,
    ]);
  });

  it('begins another run when the time of its role is up', async () => {
    const house = await openYard({});
    const { home } = house.yard;
    await mkdir(join(home, 'roles'), { recursive: true });
    const brief =
      '---\nname: brief\ndescription: Short\ncategory: conversational\nlimits: { wallMinutes: 1 }\n---\nx\n';
    await writeFile(join(home, 'roles', 'brief.md'), brief);
    const token = await agentToken(house, 'brief');
    await call(house, 'modern', token, 'draft_agent', developer('done'));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    onTestFinished(() => void vi.useRealTimers());
    const second = await call(house, 'modern', token, 'draft_agent', developer('done'));
    expect(second).toHaveProperty('agentId');
    const agents = (await house.yard.client().agents.list({ all: true })).items;
    expect(new Set(agents.map(({ runId }) => runId)).size).toBe(2);
  });

  it('has its run still when the session in which that began is deleted', async () => {
    const house = await openYard({});
    const token = await agentToken(house, 'coordinator');
    const connections = [
      await connect(house, { era: 'legacy', token }),
      await connect(house, { era: 'legacy', token }),
    ];
    for (const client of connections)
      await client.callTool({ name: 'draft_agent', arguments: developer('stay') });
    const client = house.yard.client();
    const [second, first] = (await client.agents.list({ all: true })).items;
    expect(first?.runId).toBe(second?.runId);
    await client.sessions.delete(first?.rootSessionId ?? '');
    expect(await client.runs.get(second?.runId ?? '')).toMatchObject({ used: { live: 1 } });
  });
});

describe('another client', () => {
  it('may not ask about them, with another token or another role', async () => {
    const house = await openYard({});
    const token = await agentToken(house, 'coordinator');
    const { agentId } = Object(await call(house, 'modern', token, 'draft_agent', developer('done')));
    const strangers = [await agentToken(house, 'coordinator'), await agentToken(house, 'assistant')];
    for (const stranger of strangers) {
      expect(await call(house, 'modern', stranger, 'await_agent', { agentId })).toContain(
        'not drafted by you',
      );
      expect(await call(house, 'modern', stranger, 'kill_agent', { agentId })).toContain(
        'not drafted by you',
      );
      expect(await call(house, 'modern', stranger, 'list_agents', { all: true })).toEqual({ agents: [] });
    }
    // The owner's token at this door is a client's, too.
    const asOwner = (name: string, input: Record<string, unknown>, query: string) =>
      call(house, 'modern', house.yard.token, name, input, query);
    expect(await asOwner('await_agent', { agentId }, '?role=coordinator')).toContain('not drafted by you');
    const own = Object(await asOwner('draft_agent', developer('done'), '?role=coordinator'));
    const look = (query: string) => asOwner('await_agent', { agentId: own.agentId }, query);
    expect(await look('?role=coordinator')).toMatchObject({ status: 'done' });
    expect(await look('?role=assistant')).toContain('not drafted by you');
    expect(await look(`?role=coordinator&cwd=${tmpdir()}`)).toContain('not drafted by you');
    await expect(look('?role=coordinator&cwd=/')).rejects.toThrow('cwd: "/" belongs to the system.');
  });

  it('is no person: who calls a tool themselves may ask about every agent', async () => {
    const house = await openYard({});
    const token = await agentToken(house, 'coordinator');
    const { agentId } = Object(await call(house, 'legacy', token, 'draft_agent', developer('done')));
    const { tools } = house.yard.client();
    const awaited = await tools.call('mcp__toolyard__await_agent', {
      input: { agentId },
      role: 'coordinator',
    });
    expect(awaited).toMatchObject({ output: { agentId, status: 'done' } });
    const listed = await tools.call('mcp__toolyard__list_agents', {
      input: { all: true },
      role: 'coordinator',
    });
    expect(listed).toMatchObject({ output: { agents: [{ id: agentId }] } });
  });
});

it('agents of a client whose token is revoked end, with all under them; those of others work on', async () => {
  const house = await openYard({});
  const client = house.yard.client();
  const { id, secret } = await client.tokens.create({ name: 'theirs', kind: 'agent', role: 'coordinator' });
  const other = await agentToken(house, 'coordinator');
  const ids: string[] = [];
  for (const token of [secret, other])
    ids.push(Object(await call(house, 'modern', token, 'draft_agent', developer('stay'))).agentId);
  await client.tokens.revoke(id);
  const [theirs = '', others = ''] = ids;
  expect(await client.agents.await(theirs, { timeoutSeconds: 10 })).toMatchObject({ status: 'killed' });
  expect(await client.agents.get(others)).toMatchObject({ status: 'running' });
});
