// What stateless clients find again after a restart of the server: the session of the day, with what was allowed in it.
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { createDirectSessions } from '../../src/mcp/direct-sessions.ts';
import { openTestYard } from '../support/yard.ts';
import { connect, type McpYard, openMcpYard, pendingOf } from './clients.ts';

const pay = { name: 'pay', arguments: { to: 'Ann' } };

async function sessionIdOf(house: McpYard, query = '', token = house.yard.token): Promise<unknown> {
  const client = await connect(house, { era: 'modern', query, token });
  const { structuredContent } = await client.callTool({ name: 'echo', arguments: { text: '' } });
  await client.close();
  return Object(structuredContent).sessionId;
}

it('what was allowed for the session of the day is still allowed there after a restart', async () => {
  const house = await openMcpYard();
  const client = await connect(house, { era: 'modern' });
  const call = client.callTool(pay);
  const [approval] = await pendingOf(house);
  await house.yard.client().approvals.answer(approval?.id ?? '', { decision: 'allow', scope: 'session' });
  await call;
  await house.yard.close();
  const again = await openMcpYard('', { home: house.yard.home });
  const after = await connect(again, { era: 'modern' });
  expect(await after.callTool(pay)).toMatchObject({ structuredContent: { paid: 'Ann' } });
  expect((await again.yard.client().approvals.list({ state: 'pending' })).items).toEqual([]);
});

it('each token, role and directory finds its own again, and no other’s', async () => {
  const house = await openMcpYard();
  const { secret } = await house.yard.client().tokens.create({ name: 'a', kind: 'person' });
  const places: [string, string?][] = [[''], ['?role=coordinator'], [`?cwd=${tmpdir()}`], ['', secret]];
  const look = async (where: McpYard) => {
    const found: unknown[] = [];
    for (const [query, token] of places) found.push(await sessionIdOf(where, query, token));
    return found;
  };
  const before = await look(house);
  expect(new Set(before).size).toBe(places.length);
  // More than a page of other sessions lies between.
  for (let opened = 0; opened < 205; opened++) await house.yard.client().sessions.create();
  await house.yard.close();
  expect(await look(await openMcpYard('', { home: house.yard.home }))).toEqual(before);
});

it('another day opens another session', async () => {
  const yard = await openTestYard();
  const now = { ms: Date.parse('2026-11-15T23:59:00Z') };
  const created: string[] = [];
  const sessions = {
    get: yard.client().sessions.get,
    list: async () => [],
    create: async ({ title = '' }) => {
      created.push(title);
      return yard.client().sessions.create({ title });
    },
  };
  const direct = createDirectSessions({ sessions, clock: { now: () => now.ms } });
  const caller = { actor: { kind: 'agent', id: 'tok', via: 'mcp' }, role: 'reviewer', cwd: '/' } as const;
  const standing = { role: 'reviewer', mode: 'default' } as const;
  await direct.ofToday(caller)(standing);
  await direct.ofToday(caller)(standing);
  now.ms += 60_000;
  await direct.ofToday(caller)(standing);
  expect(created).toEqual([
    'MCP calls of tok as reviewer, mode default, on 2026-11-15',
    'MCP calls of tok as reviewer, mode default, on 2026-11-16',
  ]);
});
