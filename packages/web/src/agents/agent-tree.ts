// Who was drafted by whom: agents as trees, one for each session that a person opened. Pure.
import { type Agent, isLive } from '@toolyard/sdk';

export interface AgentNode {
  agent: Agent;
  children: readonly AgentNode[];
}

/** One message of a person, and all that was drafted for it. */
export interface RunTree {
  runId: string;
  nodes: readonly AgentNode[];
}

export interface RootTree {
  rootSessionId: string;
  /** The newest first. */
  runs: readonly RunTree[];
  agents: readonly Agent[];
  live: number;
}

/** Trees in which somebody works come first, then the newest. Ids sort by time. */
export function toRootTrees(agents: readonly Agent[]): RootTree[] {
  const roots = Map.groupBy(agents, ({ rootSessionId }) => rootSessionId);
  const trees = [...roots].map(([rootSessionId, of]) => toRootTree(rootSessionId, of));
  return trees.sort(
    (one, other) =>
      Number(other.live > 0) - Number(one.live > 0) || newestOf(other).localeCompare(newestOf(one)),
  );
}

function toRootTree(rootSessionId: string, agents: readonly Agent[]): RootTree {
  const runs = [...Map.groupBy(agents, ({ runId }) => runId)]
    .map(([runId, of]) => ({ runId, nodes: toNodes(of) }))
    .sort((one, other) => other.runId.localeCompare(one.runId));
  return { rootSessionId, runs, agents, live: agents.filter(isLive).length };
}

/** In the order in which they were drafted. One whose parent is not there stands at the top. */
export function toNodes(agents: readonly Agent[]): AgentNode[] {
  const ids = new Set(agents.map(({ id }) => id));
  const under = Map.groupBy(
    agents.toSorted((one, other) => one.id.localeCompare(other.id)),
    ({ parentAgentId }) => (parentAgentId && ids.has(parentAgentId) ? parentAgentId : ''),
  );
  const grow = (id: string): AgentNode[] =>
    (under.get(id) ?? []).map((agent) => ({ agent, children: grow(agent.id) }));
  return grow('');
}

/** How many of them work under this one, at any depth. */
export function countLiveBelow(agents: readonly Agent[], id: string): number {
  const children = agents.filter(({ parentAgentId }) => parentAgentId === id);
  return children.reduce((sum, child) => sum + (isLive(child) ? 1 : 0) + countLiveBelow(agents, child.id), 0);
}

function newestOf({ agents }: RootTree): string {
  return (
    agents
      .map(({ id }) => id)
      .toSorted()
      .at(-1) ?? ''
  );
}
