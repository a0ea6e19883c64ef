// Agents for whose work nobody is left: those under one that has not come to a good end are ended with it. A session that
// a person opened is different: whatever became of its turn, they see there what still works for them.
import {
  type DispatchRow,
  type Failure,
  isLive,
  type Store,
  type StoreReads,
  ToolyardError,
  type TurnHead,
  type TurnOutcome,
} from '@toolyard/sdk';
import { readAgentChain } from '../agent-records/agent-tree.ts';
import { nothingSpent, type Spent, spentSoFar } from '../budget/turn-spending.ts';
import { isTimeUp, toStatus } from './agent-outcome.ts';

export interface OrphanDeps {
  /** Ends all that work under a session, or only those of one run. */
  killDescendants(sessionId: string, runId?: string): Promise<void>;
}

export function createOrphans({ killDescendants }: OrphanDeps) {
  /** Agents whose end is not stored yet. */
  const ending = new Map<string, DispatchRow['status']>();

  return {
    /** Before the end of a turn is stored: ends whatever has to end with it. `agent`: whose turn it is, if one's. */
    async end(
      { sessionId, runId }: { sessionId: string; runId: string },
      outcome: TurnOutcome,
      agent: DispatchRow | undefined,
    ): Promise<void> {
      if (!endsChildren(outcome, agent !== undefined)) return;
      if (agent) ending.set(agent.id, toStatus(outcome));
      await killDescendants(sessionId, agent || outcome.outcome === 'interrupted' ? undefined : runId);
    },

    /** After it is. */
    forget(agent: DispatchRow | undefined): void {
      if (agent) ending.delete(agent.id);
    },

    /** Why an agent was stopped, if it was for the sake of one above it. */
    async why(reads: StoreReads, row: DispatchRow, turn: TurnHead): Promise<Failure | undefined> {
      for (const ancestor of await ancestorsOf(reads, row)) {
        const status =
          ending.get(ancestor.id) ?? (isOrphanedBy(ancestor, turn) ? ancestor.status : undefined);
        if (status !== undefined) return toWhy(ancestor, status);
      }
      return undefined;
    },
  };
}

export interface EndOrphansDeps {
  store: Store;
  endTurn(turn: TurnHead, outcome: TurnOutcome, spent: Spent): Promise<void>;
}

/** After a start: those that still wait or are queued under one that has ended with the server. Nearest first. */
export async function endOrphans({ store, endTurn }: EndOrphansDeps): Promise<void> {
  const live = await store.reads.dispatches({ drafted: true, live: true, limit: 100_000 });
  for (const row of live.sort((one, other) => one.depth - other.depth)) {
    const [ancestor] = await ancestorsOf(store.reads, row);
    if (!ancestor) continue;
    for (const turn of await store.reads.openTurns(row.sessionId)) {
      if (!isOrphanedBy(ancestor, turn)) continue;
      const spent = turn.state === 'running' ? await spentSoFar(store, turn) : nothingSpent;
      await endTurn(turn, { outcome: 'interrupted' }, spent);
    }
  }
}

function endsChildren(outcome: TurnOutcome, isAgent: boolean): boolean {
  if (outcome.outcome === 'interrupted' || isTimeUp(outcome)) return true;
  if (!isAgent || outcome.outcome === 'completed') return false;
  // A server that stops leaves those that wait as they are: its next start sees to them.
  return outcome.error.code !== 'restarted';
}

async function ancestorsOf(reads: StoreReads, { parentAgentId }: DispatchRow): Promise<DispatchRow[]> {
  return parentAgentId ? readAgentChain(reads, { agentId: parentAgentId }) : [];
}

/** What a person has sent or retried since is for themselves. */
function isOrphanedBy(ancestor: DispatchRow, turn: TurnHead): boolean {
  return !isLive(ancestor) && ancestor.status !== 'done' && turn.createdAt <= (ancestor.endedAt ?? '');
}

function toWhy({ id, role }: DispatchRow, status: DispatchRow['status']): Failure {
  const message = `The agent was stopped because an agent above it ended: ${role} ${id}, ${status}.`;
  return new ToolyardError('killed', message).toFailure();
}
