// Grants as a person sees them: what holds, whether it still fits its tool, and taking one back.
import { type ListedGrant, type Store, ToolyardError } from '@toolyard/sdk';
import type { ToolRegistry } from './tool-registry.ts';

export function createGrants({ store, registry }: { store: Store; registry: ToolRegistry }) {
  return {
    async list(): Promise<ListedGrant[]> {
      const grants = await store.reads.grants();
      return grants.map((grant) => ({
        ...grant,
        stale: registry.get(grant.tool)?.schemaHash !== grant.schemaHash,
      }));
    },
    async revoke(id: string): Promise<{ id: string }> {
      if (await store.commit((tx) => tx.deleteGrant(id))) return { id };
      throw new ToolyardError('grant_not_found', `There is no grant ${id.slice(0, 60)}.`);
    },
  };
}
export type Grants = ReturnType<typeof createGrants>;
