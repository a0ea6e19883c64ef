// Turns a set of files into the roles it holds and those it fails to hold. Decides nothing about whose roles count.
import { join } from 'node:path';
import { type BrokenRole, type Role, ToolyardError, toVisibleLine } from '@toolyard/sdk';
import type { FileSet } from '../files/file-sets.ts';
import type { WorkspaceFiles } from '../workspace/workspace-files.ts';
import { parseClaudeAgentFile } from './claude-agent-file.ts';
import { parseRoleFile, toStem } from './role-file.ts';

export interface RoleFolder {
  /** What paths in the file set are relative to. */
  root: string;
  /** Prefix of the paths that count: '' or 'folder/'. */
  prefix: string;
  source: Role['source'];
  format: 'toolyard' | 'claude';
}

export type FoundRole =
  | { name: string; role: Role }
  /** The name is the one its file is called by. */
  | { name: string; broken: BrokenRole };

const maxRoles = 200;

/** What a workspace's own folders hold. Only for one that is trusted, or to say what trusting would bring. */
export function findWorkspaceRoles({ root, set }: Pick<WorkspaceFiles, 'root' | 'set'>): FoundRole[] {
  const source = 'workspace';
  return [
    ...findRoles(set, { root, prefix: '.toolyard/roles/', source, format: 'toolyard' }),
    ...findRoles(set, { root, prefix: '.claude/agents/', source, format: 'claude' }),
  ];
}

/** Every role file of a folder, in the order of their names. */
export function findRoles(set: FileSet, folder: RoleFolder): FoundRole[] {
  const paths = [...set.files.keys(), ...set.skipped.keys(), ...set.problems.keys()]
    .filter((path) => isRolePath(path, folder.prefix))
    .sort();
  const found = paths.slice(0, maxRoles).flatMap((path) => findRole(set, path, folder));
  const taken = new Map<string, FoundRole>();
  for (const each of found) {
    const first = taken.get(each.name);
    taken.set(each.name, first ? toDoubled(first, each) : each);
  }
  return [...taken.values(), ...findFolderProblems(set, folder, paths.length)];
}

/** Why roles of this folder may be missing. No role is called ''. */
function findFolderProblems(set: FileSet, { root, prefix }: RoleFolder, count: number): FoundRole[] {
  const folder = join(root, prefix);
  const isAbove = (path: string) => prefix.startsWith(path === '' ? '' : `${path}/`);
  const whys = [...set.skipped, ...set.problems].flatMap(([path, why]) => (isAbove(path) ? [why] : []));
  if (count > maxRoles) whys.push(`it has ${count} role files; only the first ${maxRoles} are read`);
  return whys.map((why) => ({ name: '', broken: { file: folder, problem: `${folder}: ${why}` } }));
}

function isRolePath(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && path.endsWith('.md') && !path.slice(prefix.length).includes('/');
}

function findRole(set: FileSet, path: string, { root, source, format }: RoleFolder): FoundRole[] {
  // The name of a file can hold anything; it is shown to people and never opened again.
  const file = join(root, toVisibleLine(path));
  const content = set.files.get(path);
  try {
    if (!content) return [toBroken(file, `${file}: ${set.skipped.get(path) ?? set.problems.get(path)}`)];
    const read = format === 'claude' ? parseClaudeAgentFile : parseRoleFile;
    const role = read({ content, file, source });
    return role ? [{ name: role.name, role }] : [];
  } catch (thrown) {
    if (thrown instanceof ToolyardError) return [toBroken(file, thrown.message)];
    throw thrown;
  }
}

function toBroken(file: string, problem: string): FoundRole {
  return { name: toStem(file), broken: { file, problem } };
}

/** Two files that claim one name: neither can be meant for sure. */
function toDoubled(first: FoundRole, second: FoundRole): FoundRole {
  const [one, other] = [first, second].map((each) => ('role' in each ? each.role.file : each.broken.file));
  const problem = `${other}:1:1: ${one} already has the name "${first.name}"; rename one`;
  return { name: first.name, broken: { file: other ?? '', problem } };
}
