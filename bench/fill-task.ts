// Writes tasks with many dispatches that have ended, one in ten of them with an open question.
import type { DispatchRow } from '@toolyard/sdk';
import { prepareHome } from '../packages/harness/src/core/files/home.ts';
import { createIds } from '../packages/harness/src/core/lib/ids.ts';
import { newSession, openHomeStore } from './fill-home.ts';

const at = '2026-01-01T00:00:00.000Z';
const perCommit = 500;

export async function fillTask(home: string, sizes: readonly number[]): Promise<void> {
  await prepareHome(home);
  const store = await openHomeStore(home);
  const newId = createIds({ now: () => Date.now() });
  const session = newSession();
  await store.commit((tx) => tx.insertSession(session));
  for (const size of sizes) {
    const taskSlug = `of-${size}`;
    await store.commit((tx) =>
      tx.insertTask({ slug: taskSlug, description: 'Much was done on it', createdAt: at }),
    );
    for (let made = 0; made < size; made += perCommit) {
      await store.commit(async (tx) => {
        for (let count = made; count < Math.min(size, made + perCommit); count++) {
          const row = toRow(newId('agt'), newId('trn'), session.id, taskSlug);
          await tx.insertDispatch(row);
          await tx.updateDispatch(row.id, { status: 'done', endedAt: at, result: toResult(count) });
        }
      });
    }
  }
  await store.close();
}

function toRow(id: string, turnId: string, sessionId: string, taskSlug: string): DispatchRow {
  return {
    id,
    turnId,
    sessionId,
    taskSlug,
    rootSessionId: sessionId,
    runId: turnId,
    depth: 1,
    drafted: true,
    role: 'developer',
    engine: 'native',
    model: 'any/model',
    prompt: 'Do your part of it.',
    status: 'running',
    draftedAt: at,
    startedAt: at,
    costUsd: 0,
    budgetUsd: 1,
    maxDepth: 3,
    maxChildren: 5,
    ceiling: [],
  };
}

function toResult(count: number) {
  const summary = `Part ${count} is done. ${'It took a few steps and a test for each of them. '.repeat(4)}`;
  const questions = count % 10 === 0 ? ['Should it be shown on a phone, too?'] : [];
  return { summary, changes: [`src/part-${count}.ts`], issues: [], questions, reported: true };
}
