import { type Agent, type ToolContext, ToolyardError } from '@toolyard/sdk';
import { expect, test } from 'vitest';
import { agentsToolkit } from '../../src/tools/agents.ts';

const context: ToolContext = {
  sessionId: 'ses_caller',
  turnId: 'trn',
  toolCallId: 'call',
  cwd: '/the/directory',
  signal: new AbortController().signal,
  progress() {},
};

const at = '2026-11-15T12:00:00.000Z';
const agent: Agent = {
  id: `agt_${'0'.repeat(22)}`,
  role: 'developer',
  taskSlug: 'checkout',
  status: 'running',
  sessionId: 'ses_a',
  rootSessionId: 'ses_r',
  depth: 1,
  runId: 'trn',
  engine: 'native',
  model: 'm',
  prompt: 'Build it.',
  draftedAt: at,
  startedAt: at,
  costUsd: 0,
  budgetUsd: null,
};
const shown = {
  id: agent.id,
  role: 'developer',
  taskSlug: 'checkout',
  status: 'running',
  startedAt: at,
};

/** What list_agents says when there are so many, and what it asked for. */
async function list(count: number, input: object) {
  const asked: unknown[] = [];
  const refuse = async () => {
    throw new ToolyardError('internal', 'nobody asked for this');
  };
  const kit = agentsToolkit({
    draft: refuse,
    await: refuse,
    awaitAny: refuse,
    kill: refuse,
    report: refuse,
    async listFor(sessionId, page) {
      asked.push([sessionId, page]);
      return Array.from({ length: Math.min(count, page.limit) }, () => agent);
    },
  });
  const tool = kit.tools.find(({ name }) => name === 'list_agents');
  if (!tool) throw new Error('there is no list_agents');
  return { asked, said: tool.output.parse(await tool.run(tool.input.parse(input), context)) };
}

test('list_agents says who there is, and that there are more when there are', async () => {
  expect(await list(100, {})).toEqual({
    asked: [['ses_caller', { all: false, limit: 101 }]],
    said: { agents: Array.from({ length: 100 }, () => shown) },
  });
  const { asked, said } = await list(500, { all: true });
  expect(asked).toEqual([['ses_caller', { all: true, limit: 101 }]]);
  expect(said).toEqual({ agents: Array.from({ length: 100 }, () => shown), more: true });
});
