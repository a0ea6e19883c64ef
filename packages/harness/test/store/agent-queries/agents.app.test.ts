// What the Store port does not show of agents: where in a run each cost lies, and that counters are what a count gives.
import { AgentStatus, type Store } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { addSession, at, sessionId, toDispatch, toDraft, toId, toSession } from '../rows.ts';
import { newPath, openRaw, openTestStore } from '../support.ts';

async function useUp(store: Store, turn: number, session: number): Promise<void> {
  const tokens = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const where = {
    runId: toId('trn', 0),
    rootSessionId: sessionId(1),
    parentAgentId: toId('agt', 1),
    depth: 2,
  };
  await store.commit((tx) =>
    tx.putUsage({
      turnId: toId('trn', turn),
      sessionId: sessionId(session),
      role: 'developer',
      model: 'a/b',
      endedAt: at,
      ...tokens,
      costUsd: 1,
      ...(session === 2 && where),
    }),
  );
}

/** Different ones for each seed, the same ones for the same. */
function createDice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * sides);
  };
}

describe('what agents cost', () => {
  test.each([
    ['short', 1],
    ['long', 600],
  ])('lies with its run, root, parent and depth, until the %s root is deleted', async (_, length) => {
    const path = newPath();
    const { store } = await openTestStore(path);
    await addSession(store, 1);
    await store.commit((tx) => tx.insertSession({ ...toSession(2), rootSessionId: sessionId(1) }));
    await store.commit((tx) => tx.append(Array.from({ length }, () => toDraft(1, 'x'))));
    await useUp(store, 1, 1);
    await useUp(store, 2, 2);
    const read = () =>
      openRaw(path)
        .prepare(
          'SELECT session_id, run_id, root_session_id, parent_agent_id, depth FROM usage ORDER BY turn_id',
        )
        .all()
        .map((row) => Object.values(row));
    const run = toId('trn', 0);
    const nothing = [null, null, null, null];
    expect(read()).toEqual([
      [sessionId(1), ...nothing],
      [sessionId(2), run, sessionId(1), toId('agt', 1), 2],
    ]);
    await store.commit((tx) => tx.deleteSession(sessionId(1)));
    expect(read()).toEqual([
      [null, ...nothing],
      [sessionId(2), run, null, toId('agt', 1), 2],
    ]);
  });
});

describe('the counters of tasks', () => {
  test.each([1, 2, 3])('are what counting gives, whatever became of the agents (%i)', async (seed) => {
    const path = newPath();
    const { store } = await openTestStore(path);
    const roll = createDice(seed);
    const slugs = ['one', 'two'];
    await store.commit(async (tx) => {
      for (const slug of slugs) await tx.insertTask({ slug, description: '', createdAt: at });
      for (let number = 0; number < 30; number += 1) {
        await tx.insertDispatch(toDispatch(number, slugs[roll(2)] ?? 'one'));
      }
    });
    const steps = Array.from({ length: 200 }, () => ({
      id: toId('agt', roll(30)),
      status: AgentStatus.options[roll(AgentStatus.options.length)] ?? 'done',
      fails: roll(5) === 0,
    }));
    const outcomes = steps.map(({ id, status, fails }) =>
      store.commit(async (tx) => {
        await tx.updateDispatch(id, { status });
        if (fails) throw new Error('taken back');
      }),
    );
    await Promise.allSettled(outcomes);
    const counted = openRaw(path)
      .prepare('SELECT task_slug, status, count(*) AS count FROM dispatches GROUP BY task_slug, status')
      .all();
    for (const slug of slugs) {
      const own = counted.filter(({ task_slug }) => task_slug === slug);
      const expected = Object.fromEntries(own.map(({ status, count }) => [status, count]));
      expect(await store.reads.countByStatus(slug)).toEqual(expected);
      expect((await store.reads.task(slug))?.liveCount).toBe(
        await store.reads.countDispatches({ taskSlug: slug, live: true }),
      );
    }
  });
});

test('what was said to and by an agent is nowhere in the rows once its session is deleted', async () => {
  const path = newPath();
  const { store } = await openTestStore(path);
  await addSession(store, 1);
  await store.commit((tx) => tx.insertSession({ ...toSession(2), rootSessionId: sessionId(1) }));
  const report = {
    summary: 'a secret',
    changes: ['a secret'],
    issues: ['a secret'],
    questions: ['a secret'],
  };
  const error = { code: 'internal', message: 'a secret', data: { of: 'a secret' } } as const;
  await store.commit(async (tx) => {
    await tx.insertTask({ slug: 'one', description: '', createdAt: at });
    await tx.insertDispatch(toDispatch(1, 'one'));
    await tx.updateDispatch(toId('agt', 1), { report });
    await tx.updateDispatch(toId('agt', 1), {
      status: 'failed',
      result: { ...report, reported: true },
      error,
    });
  });
  const read = () => JSON.stringify(openRaw(path).prepare('SELECT * FROM dispatches').all());
  expect(read().match(/a secret/g)).toHaveLength(11);
  await store.commit((tx) => tx.deleteSession(sessionId(2)));
  expect(read()).not.toContain('secret');
});
