// The roles that need nobody's trust: those that ship and those in the person's home, in this order.
import { join } from 'node:path';
import { createFileSets } from './file-sets.ts';
import type { Clock } from './ports.ts';
import { type FoundRole, findRoles } from './role-sources.ts';

export interface OwnRoleDeps {
  shippedFolder: string;
  home: string;
  clock: Clock;
}

export function createOwnRoles({ shippedFolder, home, clock }: OwnRoleDeps): () => Promise<FoundRole[]> {
  const places = [{ path: '', kind: 'folder', ending: '.md' }] as const;
  // The person may well keep their roles elsewhere and link to them.
  const read = createFileSets({ places, followLinks: true, clock });
  const parsed = new WeakMap<object, FoundRole[]>();

  async function readFolder(root: string, source: 'shipped' | 'home'): Promise<FoundRole[]> {
    const set = await read(root);
    const known = parsed.get(set) ?? findRoles(set, { root, prefix: '', source, format: 'toolyard' });
    parsed.set(set, known);
    return known;
  }

  return async () => {
    const both = [readFolder(shippedFolder, 'shipped'), readFolder(join(home, 'roles'), 'home')];
    return (await Promise.all(both)).flat();
  };
}
