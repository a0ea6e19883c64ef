// A tree of agents that has come to its end, as a day of work would leave it, written before the server starts.
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { AgentResult, AgentStatus, DispatchRow, StoreWrites, Worktree } from '@toolyard/sdk';
import { createIds } from '../../packages/harness/src/core/lib/ids.ts';
import { openStore } from '../../packages/harness/src/store/open.ts';

/** The task of the tree. */
export const doneTask = 'second-currency';

const clock = { now: () => Date.now() };
const newId = createIds(clock);
const minute = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * minute).toISOString();
const model = { engine: 'native', model: 'anthropic/claude-sonnet-5' };

interface Part {
  role: string;
  prompt: string;
  status: AgentStatus;
  costUsd: number;
  budgetUsd: number;
  minutes: number;
  result?: Partial<AgentResult>;
  worktree?: Omit<Worktree, 'path' | 'base'>;
  error?: DispatchRow['error'];
  under?: readonly Part[];
}

const parts: readonly Part[] = [
  {
    role: 'coordinator',
    prompt: 'Lead the payment in two currencies',
    status: 'done',
    costUsd: 1.84,
    budgetUsd: 2.5,
    minutes: 26,
    result: { summary: 'Payments are taken in both currencies, and rounded once.' },
    under: [
      {
        role: 'developer',
        prompt: 'Make amounts carry their currency',
        status: 'done',
        costUsd: 0.93,
        budgetUsd: 1,
        minutes: 14,
        result: {
          summary: 'Every amount has a currency. Sums of two currencies are refused.',
          changes: ['src/money.ts: new type', 'src/orders.ts: uses it'],
          issues: ['Old orders have no currency; they are read as euros'],
        },
        worktree: {
          branch: `toolyard/${doneTask}-9k2m4xq`,
          diff: { files: 6, insertions: 184, deletions: 41, commits: 3 },
        },
      },
      {
        role: 'developer',
        prompt: 'Teach the provider the second currency',
        status: 'failed',
        costUsd: 0.31,
        budgetUsd: 1,
        minutes: 4,
        error: { code: 'provider_auth', message: 'The provider refused the request: the key is for tests.' },
      },
    ],
  },
  {
    role: 'reviewer',
    prompt: 'Review what was built for the second currency',
    status: 'done',
    costUsd: 0.22,
    budgetUsd: 0.5,
    minutes: 5,
    result: {
      summary: 'Ready, but for the provider. The tests cover rounding and refusal.',
      questions: ['Which currency is an order without one?'],
    },
  },
];

export async function writeAgents(home: string): Promise<void> {
  const owner = { pid: process.pid, host: hostname() };
  const store = await openStore({ path: join(home, 'toolyard.db'), clock, owner });
  const at = ago(95);
  const [rootSessionId, runId] = [newId('ses'), newId('trn')];
  await store.commit(async (tx) => {
    await tx.insertTask({
      slug: doneTask,
      description: 'Take payments in dollars beside euros',
      createdAt: at,
    });
    const title = 'Take payments in a second currency';
    await tx.insertSession({
      ...toSession(home, 'coordinator', title, at),
      id: rootSessionId,
      rootSessionId,
    });
    const run = { id: runId, rootSessionId, startedAt: at, raised: {}, agents: 0, spentUsd: 0, tokens: 0 };
    await tx.insertRun({ ...run, waitedMs: 0, lastActiveAt: at });
    for (const part of parts) await writePart(tx, home, part, { rootSessionId, runId, above: [] });
  });
  await store.close();
}

interface Place {
  rootSessionId: string;
  runId: string;
  above: readonly { id: string; sessionId: string }[];
}

async function writePart(tx: StoreWrites, home: string, part: Part, place: Place): Promise<void> {
  const { rootSessionId, runId, above } = place;
  const self = { id: newId('agt'), sessionId: newId('ses') };
  const [parent, depth] = [above.at(-1), above.length + 1];
  const at = ago(90 - depth);
  await tx.insertSession({
    ...toSession(home, part.role, part.prompt, at),
    id: self.sessionId,
    rootSessionId,
    depth,
    agentId: self.id,
    ...(parent && { parentAgentId: parent.id }),
    taskSlug: doneTask,
  });
  await tx.insertDispatch({
    ...toRow(part, home, at),
    ...self,
    rootSessionId,
    runId,
    depth,
    ...(parent && { parentAgentId: parent.id }),
    parentSessionId: parent?.sessionId ?? rootSessionId,
  });
  const own = part.costUsd - (part.under ?? []).reduce((sum, { costUsd }) => sum + costUsd, 0);
  const dispatchIds = [...above, self].map(({ id }) => id);
  await tx.addSpending({ runId, dispatchIds, costUsd: own, tokens: Math.round(own * 90_000) });
  for (const child of part.under ?? [])
    await writePart(tx, home, child, { ...place, above: [...above, self] });
}

function toRow(part: Part, home: string, at: string) {
  const { role, prompt, status, budgetUsd, minutes, result, error, worktree } = part;
  const empty = { summary: '', changes: [], issues: [], questions: [], reported: true };
  return {
    role,
    prompt,
    status,
    budgetUsd,
    costUsd: 0,
    taskSlug: doneTask,
    turnId: newId('trn'),
    ...model,
    draftedAt: at,
    startedAt: at,
    endedAt: new Date(Date.parse(at) + minutes * minute).toISOString(),
    drafted: true,
    maxDepth: 3,
    maxChildren: 5,
    ceiling: [],
    ...(result && { result: { ...empty, ...result } }),
    ...(error && { error }),
    ...(worktree && { worktree: { ...worktree, path: join(home, 'worktree'), base: 'a3f1c09' } }),
  };
}

function toSession(home: string, role: string, title: string, at: string) {
  return {
    title,
    role,
    ...model,
    mode: 'default' as const,
    cwd: home,
    workspace: home,
    status: 'idle' as const,
    costUsd: 0,
    createdAt: at,
    updatedAt: at,
  };
}
