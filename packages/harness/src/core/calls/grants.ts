// Grants as a person sees them: what holds, whether it still fits its tool, and taking one back.
import { type Actor, type ListedGrant, type Store, ToolyardError } from '@toolyard/sdk';
import { toChangeEntry } from '../audit/audit-changes.ts';
import type { Clock } from '../lib/ports.ts';
import type { ToolRegistry } from './tool-registry.ts';

export interface GrantDeps {
  store: Store;
  registry: ToolRegistry;
  clock: Clock;
}

export function createGrants({ store, registry, clock }: GrantDeps) {
  return {
    async list(): Promise<ListedGrant[]> {
      const grants = await store.reads.grants();
      return grants.map((grant) => ({
        ...grant,
        stale: registry.get(grant.tool)?.schemaHash !== grant.schemaHash,
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
