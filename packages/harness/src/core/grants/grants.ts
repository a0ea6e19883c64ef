// Grants: what a person has allowed beyond one call, until when, and revoking it.
import {
  type Actor,
  type Approval,
  type Grant,
  grantDays,
  type ListedGrant,
  type Session,
  type Store,
  ToolyardError,
} from '@toolyard/sdk';
import { toChangeEntry } from '../audit/audit-changes.ts';
import type { Clock } from '../lib/ports.ts';

const dayMs = 86_400_000;

export interface GrantDeps {
  store: Store;
  clock: Clock;
  /** Of a tool as it is now; a grant for another one is stale. */
  schemaHashOf(tool: string): string | undefined;
}

export function createGrants({ store, clock, schemaHashOf }: GrantDeps) {
  return {
    async list(): Promise<ListedGrant[]> {
      const grants = await store.reads.grants();
      return grants.map((grant) => ({
        ...grant,
        stale: schemaHashOf(grant.tool) !== grant.schemaHash,
      }));
    },
    async revoke(id: string, by: Actor): Promise<{ id: string }> {
      const wasThere = await store.commit(async (tx) => {
        const grant = await tx.grant(id);
        if (!grant || !(await tx.deleteGrant(id))) return false;
        const changed = { change: 'grant_revoked', grantId: id, subject: grant.tool } as const;
        await tx.appendAudit(toChangeEntry(clock, by, changed));
        return true;
      });
      if (wasThere) return { id };
      throw new ToolyardError('grant_not_found', `There is no grant ${id.slice(0, 60)}.`);
    },
  };
}
export type Grants = ReturnType<typeof createGrants>;

/** The grant that an answer makes. It expires: a session's after days, one for always after months (`grantDays`). */
export function toGrant(
  { tool, grantKey: key, schemaHash, reason }: Approval,
  { id: sessionId, role, workspace }: Session,
  { id, scope, owner, atMs }: { id: string; scope: 'session' | 'always'; owner: Actor; atMs: number },
): Grant {
  return {
    id,
    tool,
    key,
    scope,
    ...(scope === 'session' ? { sessionId } : { role, workspace }),
    owner,
    ...(reason && { reason }),
    schemaHash,
    uses: 0,
    createdAt: new Date(atMs).toISOString(),
    expiresAt: new Date(atMs + grantDays[scope] * dayMs).toISOString(),
  };
}

export function isExpired({ expiresAt }: Grant, atMs: number): boolean {
  return expiresAt <= new Date(atMs).toISOString();
}
