// What a turn has spent that its account could not say any more, because the server had stopped.
import type { Session, StoreWrites, TurnHead } from '@toolyard/sdk';
import { chainOf } from './family.ts';
import { ensureRun, newRun } from './run-row.ts';

/** Inside the commit that ends the turn: its run, its agent and all above it are charged, once. */
export async function chargeIn(
  tx: StoreWrites,
  session: Session,
  turn: TurnHead,
  { usd, tokens, at }: { usd: number; tokens: number; at: string },
): Promise<void> {
  const chain = await chainOf(tx, session);
  const own = chain[0] ?? (await tx.dispatchOfTurn(turn.id));
  const run = newRun(own?.runId ?? turn.originTurnId, session.rootSessionId, turn.startedAt ?? at);
  if (!(await ensureRun(tx, run))) return;
  const ids = chain.length === 0 && own ? [own.id] : chain.map(({ id }) => id);
  await tx.addSpending({ runId: run.id, dispatchIds: ids, costUsd: usd, tokens });
}
