// What was used, over HTTP: counted when a turn ends, whatever becomes of its session.
import { type Engine, routes } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { expect, it } from 'vitest';
import { converse, openTestYard } from '../../support/yard.ts';

const dayMs = 86_400_000;
const priced = 'anthropic/claude-sonnet-5';

/** Says how much it used, and nothing else. */
const engine: Engine = {
  ...createScriptedEngine(),
  start: async () => ({
    async prompt(_, host) {
      await host.emit({ type: 'usage', data: { inputTokens: 100, outputTokens: 10, cacheReadTokens: 50 } });
      await host.emit({ type: 'usage', data: { inputTokens: 200, outputTokens: 20 } });
      return { outcome: 'completed' };
    },
    close: async () => {},
  }),
};

const used = { inputTokens: 300, outputTokens: 30, cacheReadTokens: 50, cacheWriteTokens: 0 };

it('is counted by role, by the model that a turn had, by session and by day', async () => {
  const yard = await openTestYard({ engine, env: { ANTHROPIC_API_KEY: 'a-key' } });
  const { sessions, usage, tools } = yard.client();
  const { id } = await sessions.create({ model: priced, title: 'Dear' });
  await converse(yard, id, 'hi');
  await sessions.change(id, { model: 'anthropic/no-such-model' });
  await converse(yard, id, 'hi');
  await tools.call('mcp__toolyard__ping', { mode: 'bypassPermissions' });
  const byModel = await usage.read({ by: 'model' });
  const dear = byModel.items[0]?.costUsd ?? 0;
  expect(dear).toBeGreaterThan(0);
  const today = new Date().toISOString().slice(0, 10);
  const known = { turns: 1, ...used, costUsd: dear, unpricedTurns: 0 };
  const unknown = { turns: 1, ...used, costUsd: null, unpricedTurns: 1 };
  expect(byModel.items).toEqual([
    { key: priced, ...known, points: [{ at: today, ...known }] },
    { key: 'anthropic/no-such-model', ...unknown, points: [{ at: today, ...unknown }] },
  ]);
  expect(byModel.total).toMatchObject({ turns: 2, costUsd: dear, unpricedTurns: 1 });
  const [role, session, day] = await Promise.all([
    usage.read({ by: 'role' }),
    usage.read({ by: 'session' }),
    usage.read(),
  ]);
  expect(role.items).toMatchObject([{ key: 'assistant', turns: 2 }]);
  expect(session.items).toMatchObject([{ key: id, title: 'Dear', turns: 2 }]);
  expect(day.items).toMatchObject([{ key: today, turns: 2, points: [] }]);
});

it('is of the model that the turn began with, though it was changed meanwhile', async () => {
  const begun = Promise.withResolvers<void>();
  const changed = Promise.withResolvers<void>();
  const slow: Engine = {
    ...engine,
    start: async () => ({
      async prompt(_, host) {
        begun.resolve();
        await changed.promise;
        await host.emit({ type: 'usage', data: { inputTokens: 1, outputTokens: 1 } });
        return { outcome: 'completed' };
      },
      close: async () => {},
    }),
  };
  const yard = await openTestYard({ engine: slow });
  const { sessions, usage } = yard.client();
  const { id } = await sessions.create({ model: priced });
  const told = converse(yard, id, 'hi');
  await begun.promise;
  await sessions.change(id, { model: 'openai/gpt-6-sol' });
  changed.resolve();
  await told;
  expect((await usage.read({ by: 'model' })).items.map(({ key }) => key)).toEqual([priced]);
});

it('of a rehearsal is known, and free', async () => {
  const yard = await openTestYard({ engine });
  const { sessions, usage } = yard.client();
  await converse(yard, (await sessions.create()).id, 'hi');
  expect((await usage.read()).total).toEqual({ turns: 1, ...used, costUsd: 0, unpricedTurns: 0 });
});

it('names the groups that are asked for, and counts the rest', async () => {
  const yard = await openTestYard({ engine });
  const { sessions, usage } = yard.client();
  for (const role of ['assistant', 'developer', 'reviewer']) {
    await converse(yard, (await sessions.create({ role })).id, 'hi');
  }
  const { items, rest, total } = await usage.read({ by: 'role', limit: 1 });
  expect([items.length, rest?.turns, rest?.costUsd, total.turns]).toEqual([1, 2, 0, 3]);
  expect((await usage.read({ by: 'role', limit: 3 })).rest).toBeUndefined();
});

it.each([
  ['a span that is none', { from: new Date(5).toISOString(), to: new Date(5).toISOString() }],
  ['a span that is too long', { from: new Date(0).toISOString(), to: new Date(367 * dayMs).toISOString() }],
  [
    'too many hours',
    { from: new Date(0).toISOString(), to: new Date(9 * dayMs).toISOString(), step: 'hour' },
  ],
  ['no time', { from: 'yesterday' }],
  ['another group', { by: 'tool' }],
])('is refused for %s', async (_, query) => {
  const yard = await openTestYard();
  const search = new URLSearchParams(query);
  const headers = { authorization: `Bearer ${yard.token}` };
  const answer = await yard.fetch(
    new Request(`http://127.0.0.1${routes.readUsage.path}?${search}`, { headers }),
  );
  expect([answer.status, (await answer.json()).error.code]).toEqual([400, 'invalid_request']);
});
