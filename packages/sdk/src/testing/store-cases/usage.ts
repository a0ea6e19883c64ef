// What turns used: summed by role, model, session and day, bounded, and known when the session is gone.
import type { Store } from '../../store/store.ts';
import type { TurnUsage, UsageQuery } from '../../store/store-usage.ts';
import { assertEqual } from '../support/assertions.ts';
import { insertSessions, type StoreCase, sessionId, turnId } from '../support/store-samples.ts';

function used(number: number, rest: Partial<TurnUsage> = {}): TurnUsage {
  return {
    turnId: turnId(number),
    sessionId: sessionId(1),
    role: 'assistant',
    model: 'a/one',
    endedAt: '2026-11-15T12:00:00.000Z',
    inputTokens: 10,
    outputTokens: 1,
    cacheReadTokens: 4,
    cacheWriteTokens: 2,
    costUsd: 0.5,
    ...rest,
  };
}

const asked: UsageQuery = {
  from: '2026-11-14T00:00:00.000Z',
  to: '2026-11-17T00:00:00.000Z',
  by: 'role',
  step: 'day',
  utcOffset: 0,
  limit: 8,
};

function sum(turns: number, costUsd: number | null, unpricedTurns = 0) {
  return {
    turns,
    inputTokens: 10 * turns,
    outputTokens: turns,
    cacheReadTokens: 4 * turns,
    cacheWriteTokens: 2 * turns,
    costUsd,
    unpricedTurns,
  };
}

async function put(store: Store, rows: readonly TurnUsage[]): Promise<void> {
  await insertSessions(store, 2);
  await store.commit(async (tx) => {
    for (const row of rows) await tx.putUsage(row);
  });
}

export const usageCases: StoreCase[] = [
  {
    title: 'sums what turns used, most costly first, and knows an unknown price from none',
    async play({ store }) {
      await put(store, [
        used(1),
        used(2, { endedAt: '2026-11-16T23:59:59.999Z' }),
        used(3, { role: 'developer', model: '"odd', costUsd: null }),
        used(4, { role: 'reviewer', costUsd: 0 }),
        used(5, { endedAt: '2026-11-17T00:00:00.000Z' }),
        used(6, { endedAt: '2026-11-13T23:59:59.999Z' }),
      ]);
      const [day, next] = ['2026-11-15', '2026-11-16'];
      assertEqual(
        await store.reads.usage(asked),
        {
          groups: [
            {
              key: 'assistant',
              ...sum(2, 1),
              points: [
                { at: day, ...sum(1, 0.5) },
                { at: next, ...sum(1, 0.5) },
              ],
            },
            { key: 'reviewer', ...sum(1, 0), points: [{ at: day, ...sum(1, 0) }] },
            { key: 'developer', ...sum(1, null, 1), points: [{ at: day, ...sum(1, null, 1) }] },
          ],
          total: sum(4, 1, 1),
        },
        'by role',
      );
      const models = await store.reads.usage({ ...asked, by: 'model', limit: 1 });
      assertEqual(
        models.groups.map(({ key, turns }) => [key, turns]),
        [['a/one', 3]],
        'at most one model',
      );
      const byModel = await store.reads.usage({ ...asked, by: 'model' });
      assertEqual(byModel.groups.at(-1)?.key, '"odd', 'a model’s name comes back as it was');
    },
  },
  {
    title: 'puts a turn into the hour and day of the asker',
    async play({ store }) {
      await put(store, [used(1, { endedAt: '2026-11-15T22:30:00.000Z' }), used(2)]);
      const byDay = { ...asked, by: 'day', utcOffset: 120 } as const;
      const days = await store.reads.usage(byDay);
      const hours = await store.reads.usage({ ...byDay, step: 'hour' });
      const keys = [days, hours].map(({ groups }) => groups.map(({ key, points }) => [key, points.length]));
      assertEqual(
        keys,
        [
          [
            ['2026-11-15', 0],
            ['2026-11-16', 0],
          ],
          [
            ['2026-11-15T14:00', 0],
            ['2026-11-16T00:00', 0],
          ],
        ],
        'days and hours',
      );
    },
  },
  {
    title: 'says what is known of a session whose cost is not',
    async play({ store }) {
      await put(store, [used(1), used(2, { costUsd: null }), used(3, { sessionId: sessionId(2) })]);
      const readKnown = async () =>
        (await store.reads.sessions({ limit: 2 })).map(({ knownUsd }) => knownUsd);
      assertEqual(await readKnown(), [undefined, undefined], 'as long as all is');
      await store.commit((tx) => tx.updateSession(sessionId(1), { costUsd: null }));
      assertEqual(await readKnown(), [undefined, 0.5], 'of the first');
    },
  },
  {
    title: 'keeps what was used when the session is deleted, and nothing of the session',
    async play({ store }) {
      await put(store, [used(1), used(2, { sessionId: sessionId(2), costUsd: 2 })]);
      await store.commit((tx) => tx.putUsage(used(1, { costUsd: 1 })));
      await store.commit((tx) => tx.deleteSession(sessionId(2)));
      const { groups, total } = await store.reads.usage({ ...asked, by: 'session' });
      assertEqual(
        groups.map(({ key, title, costUsd }) => ({ key, title, costUsd })),
        [
          { key: '', title: undefined, costUsd: 2 },
          { key: sessionId(1), title: 'Session 1', costUsd: 1 },
        ],
        'by session',
      );
      assertEqual(total, sum(2, 3), 'the total');
      const none = await store.reads.usage({ ...asked, to: '2026-11-14T01:00:00.000Z' });
      assertEqual(none, { groups: [], total: sum(0, 0) }, 'a span without any');
    },
  },
];
