// What people change about who may do what, as evidence beside that of the calls.
import type { Actor, AuditEntry, Session } from '@toolyard/sdk';
import { toLineage } from './judge.ts';
import type { Clock } from './ports.ts';

export type Change = Pick<AuditEntry, 'sessionId' | 'grantId' | 'lineage'> & {
  change: NonNullable<AuditEntry['change']>;
  /** What was changed, and to what: an id, a path, a mode. */
  subject: string;
};

/** Whose agent it is, for a change in an agent's session. */
export function ofAgent(session: Session): Pick<Change, 'lineage'> {
  return session.agentId ? { lineage: toLineage(session) } : {};
}

/** The row of a change, for the commit that makes it. */
export function toChangeEntry(clock: Clock, actor: Actor, change: Change): AuditEntry {
  return { kind: 'change', at: new Date(clock.now()).toISOString(), actor, costUsd: 0, ...change };
}
