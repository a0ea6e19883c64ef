// Who stands under whom, from a list in any order.
import type { Agent } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { type AgentNode, countLiveBelow, toRootTrees } from '../../src/agents/agent-tree.ts';

const at = '2026-11-15T10:00:00.000Z';

function agent(id: string, rest: Partial<Agent> = {}): Agent {
  return {
    id,
    role: 'developer',
    taskSlug: 'checkout',
    status: 'done',
    sessionId: `ses_${id}`,
    prompt: 'go',
    rootSessionId: 'one',
    depth: 1,
    runId: 'run1',
    engine: 'native',
    model: 'any',
    costUsd: 0,
    draftedAt: at,
    startedAt: at,
    budgetUsd: null,
    ...rest,
  };
}

const ids = (nodes: readonly AgentNode[]): unknown[] =>
  nodes.map(({ agent, children }) => (children.length > 0 ? [agent.id, ids(children)] : agent.id));

describe('trees of agents', () => {
  it('stand under who drafted them, in their order, run by run, those at work before newer ones', () => {
    const trees = toRootTrees([
      agent('e', { rootSessionId: 'two', runId: 'run9' }),
      agent('d', { runId: 'run2' }),
      agent('c', { parentAgentId: 'a', status: 'running' }),
      agent('b', { parentAgentId: 'a' }),
      agent('a'),
    ]);
    const told = trees.map(({ rootSessionId, live, runs }) => ({
      rootSessionId,
      live,
      runs: runs.map(({ runId, nodes }) => ({ runId, nodes: ids(nodes) })),
    }));
    expect(told).toEqual([
      {
        rootSessionId: 'one',
        live: 1,
        runs: [
          { runId: 'run2', nodes: ['d'] },
          { runId: 'run1', nodes: [['a', ['b', 'c']]] },
        ],
      },
      { rootSessionId: 'two', live: 0, runs: [{ runId: 'run9', nodes: ['e'] }] },
    ]);
  });

  it('keep an agent whose parent is not in the list', () => {
    const [tree] = toRootTrees([agent('b', { parentAgentId: 'gone' })]);
    expect(ids(tree?.runs[0]?.nodes ?? [])).toEqual(['b']);
  });

  it('count whoever works below, past one that has ended, and not the agent itself', () => {
    const all = [
      agent('a', { status: 'waiting' }),
      agent('b', { parentAgentId: 'a' }),
      agent('c', { parentAgentId: 'b', status: 'queued' }),
      agent('d', { parentAgentId: 'a', status: 'running' }),
      agent('e', { status: 'running' }),
    ];
    expect(['a', 'b', 'e'].map((id) => countLiveBelow(all, id))).toEqual([2, 1, 0]);
  });
});
