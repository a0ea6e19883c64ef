// What people change about who may do what, as evidence beside that of the calls.
import type { Actor, AuditEntry, Lineage, Session } from '@toolyard/sdk';
import type { Clock } from '../lib/ports.ts';

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

export function toLineage({
  rootSessionId,
  parentAgentId,
  agentId,
  depth = 0,
}: Pick<Session, keyof Lineage>): Lineage {
  return { rootSessionId, ...(parentAgentId && { parentAgentId }), ...(agentId && { agentId }), depth };
}
