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
import { chainOf } from '../budget/family.ts';
import { nothingSpent, type Spent, spentSoFar } from '../budget/turn-spending.ts';
import { isTimeUp, toStatus } from './ending.ts';

export interface OrphanDeps {
  /** Ends all that work under a session, or only those of one run. */
  killBelow(sessionId: string, runId?: string): Promise<void>;
}

export function createOrphans({ killBelow }: OrphanDeps) {
  /** Agents whose end is not stored yet. */
  const ending = new Map<string, DispatchRow['status']>();

  return {
    /** Before the end of a turn is stored: ends whatever has to end with it. `agent`: whose turn it is, if one's. */
    async end(
      { sessionId, runId }: { sessionId: string; runId: string },
      outcome: TurnOutcome,
      agent: DispatchRow | undefined,
    ): Promise<void> {
      if (!takesAlong(outcome, agent !== undefined)) return;
      if (agent) ending.set(agent.id, toStatus(outcome));
      await killBelow(sessionId, agent || outcome.outcome === 'interrupted' ? undefined : runId);
    },

    /** After it is. */
    forget(agent: DispatchRow | undefined): void {
      if (agent) ending.delete(agent.id);
    },

    /** Why an agent was stopped, if it was for the sake of one above it. */
    async why(reads: StoreReads, row: DispatchRow, turn: TurnHead): Promise<Failure | undefined> {
      for (const above of await aboveOf(reads, row)) {
        const status = ending.get(above.id) ?? (isLeftBy(above, turn) ? above.status : undefined);
        if (status !== undefined) return toWhy(above, status);
      }
      return undefined;
    },
  };
}

export interface LeftDeps {
  store: Store;
  endTurn(turn: TurnHead, outcome: TurnOutcome, spent: Spent): Promise<void>;
}

/** After a start: those that still wait or are queued under one that has ended with the server. Nearest first. */
export async function endOrphans({ store, endTurn }: LeftDeps): Promise<void> {
  const live = await store.reads.dispatches({ drafted: true, live: true, limit: 100_000 });
  for (const row of live.sort((one, other) => one.depth - other.depth)) {
    const [above] = await aboveOf(store.reads, row);
    if (!above) continue;
    for (const turn of await store.reads.openTurns(row.sessionId)) {
      if (!isLeftBy(above, turn)) continue;
      const spent = turn.state === 'running' ? await spentSoFar(store, turn) : nothingSpent;
      await endTurn(turn, { outcome: 'interrupted' }, spent);
    }
  }
}

function takesAlong(outcome: TurnOutcome, isAgent: boolean): boolean {
  if (outcome.outcome === 'interrupted' || isTimeUp(outcome)) return true;
  if (!isAgent || outcome.outcome === 'completed') return false;
  // A server that stops leaves those that wait as they are: its next start sees to them.
  return outcome.error.code !== 'restarted';
}

async function aboveOf(reads: StoreReads, { parentAgentId }: DispatchRow): Promise<DispatchRow[]> {
  return parentAgentId ? chainOf(reads, { agentId: parentAgentId }) : [];
}

/** What a person has sent or retried since is for themselves. */
function isLeftBy(above: DispatchRow, turn: TurnHead): boolean {
  return !isLive(above) && above.status !== 'done' && turn.createdAt <= (above.endedAt ?? '');
}

function toWhy({ id, role }: DispatchRow, status: DispatchRow['status']): Failure {
  const message = `It was stopped because an agent above it had ended: ${role} ${id}, ${status}.`;
  return new ToolyardError('killed', message).toFailure();
}
