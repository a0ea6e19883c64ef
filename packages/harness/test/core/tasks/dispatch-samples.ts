// Dispatches for tests of tasks: numbered, so that a later one is newer.
import type { AgentResult, DispatchRow, Session, Store, Task } from '@toolyard/sdk';

export const startOfDay = '2026-11-15T00:00:00.000Z';

export function timeOf(number: number): string {
  return new Date(Date.parse(startOfDay) + number * 60_000).toISOString();
}

export function idOf(prefix: string, number: number): string {
  return `${prefix}_${String(number).padStart(22, '0')}`;
}

export function sampleResult(rest: Partial<AgentResult> = {}): AgentResult {
  return { summary: 'Did it.', changes: [], issues: [], questions: [], reported: true, ...rest };
}

/** Done a minute after the one before it. */
export function sampleDispatch(number: number, rest: Partial<DispatchRow> = {}): DispatchRow {
  return {
    id: idOf('agt', number),
    drafted: true,
    role: 'developer',
    taskSlug: 'checkout',
    status: 'done',
    sessionId: idOf('ses', number + 1),
    turnId: idOf('trn', number + 1),
    parentSessionId: idOf('ses', 1),
    rootSessionId: idOf('ses', 1),
    depth: 1,
    runId: idOf('trn', 1),
    engine: 'native',
    model: 'anthropic/some-model',
    prompt: `Do step ${number}.`,
    draftedAt: timeOf(number),
    startedAt: timeOf(number),
    endedAt: timeOf(number + 1),
    costUsd: 0.25,
    budgetUsd: null,
    maxDepth: 3,
    maxChildren: 5,
    ceiling: [],
    result: sampleResult({ summary: `Did step ${number}.` }),
    ...rest,
  };
}

/** Still at work, or about to be. */
export function liveDispatch(number: number, rest: Partial<DispatchRow> = {}): DispatchRow {
  const { endedAt, result, ...row } = sampleDispatch(number, { status: 'running' });
  return { ...row, ...rest };
}

export function sampleTask(rest: Partial<Task> = {}): Task {
  return {
    slug: 'checkout',
    description: 'Make checkout work.',
    status: 'open',
    dispatchCount: 0,
    liveCount: 0,
    costUsd: 1.5,
    createdAt: startOfDay,
    updatedAt: timeOf(600),
    ...rest,
  };
}

const rootSession: Omit<Session, 'lastSeq'> = {
  id: idOf('ses', 1),
  rootSessionId: idOf('ses', 1),
  title: '',
  role: 'coordinator',
  engine: 'native',
  model: 'anthropic/some-model',
  mode: 'default',
  cwd: '/w',
  workspace: '/w',
  status: 'running',
  costUsd: 0,
  createdAt: startOfDay,
  updatedAt: startOfDay,
};

/** With the run that they belong to; the tasks must be there. */
export async function insertDispatches(store: Store, rows: readonly DispatchRow[]): Promise<void> {
  await store.commit(async (tx) => {
    if (!(await tx.run(idOf('trn', 1)))) {
      await tx.insertSession(rootSession);
      const nothing = { raised: {}, agents: 0, spentUsd: 0, tokens: 0, waitedMs: 0 };
      await tx.insertRun({
        id: idOf('trn', 1),
        rootSessionId: idOf('ses', 1),
        startedAt: startOfDay,
        ...nothing,
        lastActiveAt: startOfDay,
      });
    }
    for (const row of rows) await tx.insertDispatch(row);
  });
}
