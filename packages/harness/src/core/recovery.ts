// What a start does with what the last run left behind: no turn stays running, and nothing accepted is forgotten.
import type { Session, Store, Turn } from '@toolyard/sdk';
import { costSoFar } from './turn-cost.ts';
import type { EndTurn } from './turn-end.ts';

interface RecoveryDeps {
  store: Store;
  endTurn: EndTurn;
  wake(sessionId: string, underWay?: Turn): void;
  /** A call whose caller has gone with the last run: nobody is left to hear its result. */
  isDirect(session: Session): boolean;
}

/** Goes on with turns that wait for a person, ends others that were under way as `restarted`, lets queued ones run. */
export async function recover({ store, endTurn, wake, isDirect }: RecoveryDeps): Promise<void> {
  const error = {
    code: 'restarted' as const,
    message: 'The server stopped during this turn. Retry it to go on from the last step.',
  };
  for (const turn of await store.reads.turnsIn(['running'])) {
    const session = await store.reads.session(turn.sessionId);
    if (session && !isDirect(session) && (await waitsForPerson(store, turn))) wake(turn.sessionId, turn);
    else await endTurn(turn, { outcome: 'failed', error }, await costSoFar(store, turn));
  }
  for (const { sessionId } of await store.reads.turnsIn(['queued'])) wake(sessionId);
}

/** A call that was asked and not yet run: its person may still answer, or has. */
async function waitsForPerson({ reads }: Store, turn: Turn): Promise<boolean> {
  const rows = await reads.toolCalls(turn.id);
  return rows.some(({ state, result }) => !result && (state === 'asked' || state === 'allowed'));
}
