// The roles that need nobody's trust: those that ship, those in the person's home and those of the program around the
// yard, in this order.
import { join } from 'node:path';
import type { Role } from '@toolyard/sdk';
import { createFileSets, type ReadFileSet } from '../files/file-sets.ts';
import { createKeptList } from '../files/file-walk.ts';
import type { Clock } from '../lib/ports.ts';
import { type FoundRole, findRoles } from './role-sources.ts';

export interface OwnRoleDeps {
  shippedFolder: string;
  home: string;
  /** Of the program around the yard. */
  given?: readonly Role[];
  clock: Clock;
}

export function createOwnRoles(deps: OwnRoleDeps): () => Promise<FoundRole[]> {
  const { shippedFolder, home, given = [], clock } = deps;
  const places = [{ path: '', kind: 'folder', ending: '.md' }] as const;
  // The person may well keep their roles elsewhere and link to them. Those that ship lie beside the code.
  const readTheirs = createFileSets({ places, followLinks: true, clock });
  const readShipped = createFileSets({ places, followLinks: true, list: createKeptList(clock), clock });
  const parsed = new Map<string, { hash: string; roles: FoundRole[] }>();

  async function readFolder(
    read: ReadFileSet,
    root: string,
    source: 'shipped' | 'home',
  ): Promise<FoundRole[]> {
    const set = await read(root);
    const known = parsed.get(root);
    // The hash covers what was read, and not why something could not be.
    const isWhole = set.problems.size === 0 && set.skipped.size === 0;
    if (isWhole && known?.hash === set.hash) return known.roles;
    const roles = findRoles(set, { root, prefix: '', source, format: 'toolyard' });
    if (isWhole) parsed.set(root, { hash: set.hash, roles });
    return roles;
  }

  return async () => {
    const both = [
      readFolder(readShipped, shippedFolder, 'shipped'),
      readFolder(readTheirs, join(home, 'roles'), 'home'),
    ];
    return [...(await Promise.all(both)).flat(), ...given.map((role) => ({ name: role.name, role }))];
  };
}
