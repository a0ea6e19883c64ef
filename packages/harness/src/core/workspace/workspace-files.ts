// The files with which a workspace speaks for itself, and whether a person trusts them as they are. The one place that
// reads them: roles, configuration and whatever comes take the very bytes that were hashed.
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { StoreReads } from '@toolyard/sdk';
import { createFileSets, type FileSet } from '../files/file-sets.ts';
import type { Place } from '../files/file-walk.ts';
import type { Clock } from '../lib/ports.ts';

export interface WorkspaceFiles {
  /** The workspace without links on the way to it. */
  root: string;
  set: FileSet;
  /** True too for a workspace without any such file: there is nothing to widen. */
  trusted: boolean;
}

export interface WorkspaceFileDeps {
  reads: Pick<StoreReads, 'trustedHash'>;
  /** Stands as `.toolyard` in the person's own home directory and is no workspace's. */
  home: string;
  clock: Clock;
}

const places: readonly Place[] = [
  { path: 'toolyard.yaml', kind: 'file' },
  { path: '.toolyard', kind: 'deep' },
  { path: '.claude/agents', kind: 'folder' },
  { path: '.mcp.json', kind: 'file' },
  { path: 'CLAUDE.md', kind: 'file' },
  { path: 'AGENTS.md', kind: 'file' },
];

export type ReadWorkspaceFiles = (workspace: string) => Promise<WorkspaceFiles>;

export function createWorkspaceFiles({ reads, home, clock }: WorkspaceFileDeps): ReadWorkspaceFiles {
  const read = createFileSets({ places, clock });

  return async (workspace) => {
    const root = toReal(workspace);
    const set = await read(root, toReal(home));
    return { root, set, trusted: await isTrusted(root, set) };
  };

  async function isTrusted(root: string, { files, skipped, problems, hash }: FileSet): Promise<boolean> {
    if (problems.size > 0) return false;
    return files.size + skipped.size === 0 || (await reads.trustedHash(root)) === hash;
  }
}

/** A folder that is gone has no files; its name will do. */
function toReal(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}
