// The roles of a workspace: shipped, the person's own, and those of the workspace itself once a person trusts it. Of
// two with one name the later counts, also when it is broken: what was meant to narrow must not fall back to wide. A
// drafted agent also has those of the workspaces above it, and these count before its own.
import { join } from 'node:path';
import { type BrokenRole, type Role, ToolyardError } from '@toolyard/sdk';
import { createFileSets, type ReadFileSet } from '../files/file-sets.ts';
import { createCachedList } from '../files/file-walk.ts';
import { quote } from '../files/yaml-bounds.ts';
import { findNearest } from '../lib/did-you-mean.ts';
import type { Clock } from '../lib/ports.ts';
import type { ReadWorkspaceFiles, WorkspaceFiles } from '../workspace/workspace-files.ts';
import { type FoundRole, findRoles, findWorkspaceRoles } from './role-sources.ts';

export interface Roles {
  /** Throws `unknown_role` with a suggestion, or `invalid_config` for a broken file of that name. */
  find(name: string, workspace: string): Promise<Role>;
  /** The same, of a workspace whose files were just read. */
  findIn(name: string, files: WorkspaceFiles): Promise<Role>;
  /** Both sorted. Every role listed can be found. */
  list(workspace: string): Promise<{ roles: Role[]; broken: BrokenRole[] }>;
}

export interface RoleDeps extends OwnRoleDeps {
  trust: { read: ReadWorkspaceFiles };
}

export function createRoles({ trust, ...own }: RoleDeps): Roles {
  const readOwn = createOwnRoles(own);
  const parsed = new WeakMap<object, FoundRole[]>();

  function findTheirs({ root, set }: WorkspaceFiles): FoundRole[] {
    const known = parsed.get(set) ?? findWorkspaceRoles({ root, set });
    parsed.set(set, known);
    return known;
  }

  async function load(theirs: WorkspaceFiles) {
    const all = await readOwn();
    for (const files of withParents(theirs)) if (files.trusted) all.push(...findTheirs(files));
    return { byName: new Map(all.map((each) => [each.name, each])), all };
  }

  async function findIn(name: string, theirs: WorkspaceFiles): Promise<Role> {
    const { byName } = await load(theirs);
    const found = byName.get(name);
    if (found && 'role' in found) return found.role;
    if (found) throw new ToolyardError('invalid_config', found.broken.problem, { data: found.broken });
    const waiting = withParents(theirs).find(
      (files) => !files.trusted && findTheirs(files).some((each) => each.name === name),
    );
    throw waiting ? waitingRole(name, waiting.root) : unknownRole(name, [...byName.values()]);
  }

  return {
    findIn,
    find: async (name, workspace) => findIn(name, await trust.read(workspace)),

    async list(workspace) {
      const { byName, all } = await load(await trust.read(workspace));
      const roles = [...byName.values()].flatMap((each) => ('role' in each ? [each.role] : []));
      const broken = all.flatMap((each) => ('broken' in each ? [each.broken] : []));
      return {
        roles: roles.sort((a, b) => (a.name < b.name ? -1 : 1)),
        broken: broken.sort((a, b) => (a.file < b.file ? -1 : 1)),
      };
    },
  };
}

/** The nearest first. */
function withParents(files: WorkspaceFiles): WorkspaceFiles[] {
  return files.parent ? [files, ...withParents(files.parent)] : [files];
}

function unknownRole(name: string, found: readonly FoundRole[]): ToolyardError {
  const names = found.flatMap((each) => ('role' in each ? [each.name] : [])).sort();
  const guess = findNearest(name, names);
  const hint = guess ? `Did you mean "${guess}"?` : `Roles: ${names.join(', ')}.`;
  return new ToolyardError('unknown_role', `There is no role ${quote(name)}. ${hint}`);
}

function waitingRole(name: string, workspace: string): ToolyardError {
  const why = `${workspace} has one, but that workspace is not trusted as it is now.`;
  const hint = 'A person can review and trust it with `toolyard trust`.';
  return new ToolyardError('unknown_role', `There is no role ${quote(name)} yet. ${why} ${hint}`);
}

export interface OwnRoleDeps {
  shippedFolder: string;
  home: string;
  /** Of the program around the yard. */
  given?: readonly Role[];
  clock: Clock;
}

/** The roles that need nobody's trust: those that ship, those of the home and those of the program around the yard. */
export function createOwnRoles(deps: OwnRoleDeps): () => Promise<FoundRole[]> {
  const { shippedFolder, home, given = [], clock } = deps;
  const places = [{ path: '', kind: 'folder', ending: '.md' }] as const;
  // The person may well keep their roles elsewhere and link to them. Those that ship lie beside the code.
  const readTheirs = createFileSets({ places, followLinks: true, clock });
  const readShipped = createFileSets({ places, followLinks: true, list: createCachedList(clock), clock });
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
