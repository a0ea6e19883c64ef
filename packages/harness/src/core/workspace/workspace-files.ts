// The files with which a workspace speaks for itself, and whether a person trusts them as they are; with them, those that
// narrow it: the rules of the folders above it, and the workspaces of the sessions above its session. The one place that
// reads them: roles, configuration and whatever comes take the very bytes that were hashed.
import { dirname, join } from 'node:path';
import type { StoreReads } from '@toolyard/sdk';
import { createFileSets, type FileSet } from '../files/file-sets.ts';
import type { Place } from '../files/file-walk.ts';
import { isInside } from '../lib/is-inside.ts';
import type { Clock } from '../lib/ports.ts';
import { createIsOwn, formatForeign, type IsOwn, rulesFile } from './markers.ts';
import { toReal } from './workspaces.ts';

/** A folder whose `toolyard.yaml` counts. */
export interface FolderFiles {
  /** Without links on the way to it. */
  root: string;
  set: FileSet;
}

export interface WorkspaceFiles extends FolderFiles {
  /** True too for a workspace without any such file: there is nothing to widen. */
  trusted: boolean;
  /** Its `toolyard.yaml` is another user's: it may narrow, and stops nobody when it is broken. */
  isForeign: boolean;
  /** Folders above it with a `toolyard.yaml` of the person's own, nearest first: they narrow. */
  above: readonly FolderFiles[];
  /** Sentences on files above it that do not count. */
  ignored: readonly string[];
  /** The workspace of the session that drafted this one's agent: nothing here is wider than there. */
  parent?: WorkspaceFiles;
}

export interface WorkspaceFileDeps {
  reads: Pick<StoreReads, 'trustedHash'>;
  /** Stands as `.toolyard` in the person's own home directory and is no workspace's. */
  home: string;
  /** The folders that the person has named: nothing above one counts for what is in it. */
  roots(): readonly string[];
  clock: Clock;
}

const rulesPlace: Place = { path: rulesFile, kind: 'file' };
const places: readonly Place[] = [
  rulesPlace,
  { path: '.toolyard', kind: 'deep' },
  { path: '.claude/agents', kind: 'folder' },
  { path: '.mcp.json', kind: 'file' },
  { path: 'CLAUDE.md', kind: 'file' },
  { path: 'AGENTS.md', kind: 'file' },
];

/** `lineage`: the workspaces of all sessions above the one that works there, topmost first. */
export type ReadWorkspaceFiles = (workspace: string, lineage?: readonly string[]) => Promise<WorkspaceFiles>;

export function createWorkspaceFiles({ reads, home, roots, clock }: WorkspaceFileDeps): ReadWorkspaceFiles {
  const readSet = createFileSets({ places, clock });
  const readRules = createFileSets({ places: [rulesPlace], clock });

  async function read(workspace: string, lineage: readonly string[] = []): Promise<WorkspaceFiles> {
    const above = lineage.at(-1);
    const parent = above === undefined ? {} : { parent: await read(above, lineage.slice(0, -1)) };
    const root = toReal(workspace);
    const set = await readSet(root, toReal(home));
    const isOwn = createIsOwn(root);
    const owner = set.owners.get(rulesFile);
    const isForeign = owner !== undefined && !isOwn(owner, root);
    return {
      root,
      set,
      trusted: await isTrusted(root, set),
      isForeign,
      ...(await readAbove(root, isOwn)),
      ...parent,
    };
  }

  async function readAbove(root: string, isOwn: IsOwn): Promise<Pick<WorkspaceFiles, 'above' | 'ignored'>> {
    const above: FolderFiles[] = [];
    const ignored: string[] = [];
    const named = roots()
      .map(toReal)
      .filter((folder) => isInside(root, folder));
    const isLast = (folder: string) => named.length > 0 && named.every((each) => isInside(each, folder));
    for (let folder = root; !isLast(folder) && dirname(folder) !== folder; ) {
      folder = dirname(folder);
      const set = await readRules(folder);
      const owner = set.owners.get(rulesFile);
      if (owner === undefined) continue;
      if (isOwn(owner, folder)) above.push({ root: folder, set });
      else ignored.push(formatForeign(join(folder, rulesFile), owner));
    }
    return { above, ignored };
  }

  async function isTrusted(root: string, { files, skipped, problems, hash }: FileSet): Promise<boolean> {
    if (problems.size > 0) return false;
    return files.size + skipped.size === 0 || (await reads.trustedHash(root)) === hash;
  }

  return read;
}
