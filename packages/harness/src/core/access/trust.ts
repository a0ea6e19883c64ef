// Trust: a person's word that a workspace's own files, exactly as they are, may widen what agents do there. Bound to
// their hash, so any change takes it back. Reads; executes and connects nothing.
import {
  type Actor,
  type Role,
  type Store,
  ToolyardError,
  type TrustView,
  toVisibleLine,
} from '@toolyard/sdk';
import { toChangeEntry } from '../audit/audit-changes.ts';
import type { LiveConfig } from '../config/current-config.ts';
import type { Clock } from '../lib/ports.ts';
import { createOwnRoles } from '../roles/roles.ts';
import { createWorkspaceFiles, type ReadWorkspaceFiles } from '../workspace/workspace-files.ts';
import { inspectWorkspace, requireDirectory } from '../workspace/workspaces.ts';
import { formatProblems, formatWidening } from './trust-view.ts';

export interface Trust {
  isTrusted(workspace: string): Promise<boolean>;
  /** The workspace's own files, read once, and whether they are trusted: use these bytes and read no file again. */
  read: ReadWorkspaceFiles;
  /** For a person to decide by. Takes any directory of the workspace. */
  inspect(directory: string): Promise<TrustView>;
  /** Throws `untrusted` when the files are no longer those of `hash`, or cannot be trusted as they are. */
  trust(directory: string, hash: string, by: Actor): Promise<TrustView>;
  /** A copy of a trusted workspace is trusted like it, as long as its files are the very same. */
  inherit(from: string, to: string): Promise<void>;
}

export interface TrustDeps {
  store: Store;
  clock: Clock;
  home: string;
  shippedFolder: string;
  /** Roles of the program around the yard. */
  given?: readonly Role[];
  /** The person's own configuration, against which widening is told. */
  config: LiveConfig;
}

export function createTrust({ store, config, ...own }: TrustDeps): Trust {
  const { clock, home } = own;
  const roots = () => config.current().workspace.roots;
  const read = createWorkspaceFiles({ reads: store.reads, home, roots, clock });
  const readOwnRoles = createOwnRoles(own);

  async function inspect(directory: string): Promise<TrustView> {
    const { workspace, ignored } = inspectWorkspace(requireDirectory(directory));
    const files = await read(workspace);
    const { root, set, trusted } = files;
    return {
      workspace: root,
      trusted,
      hash: set.hash,
      files: [...set.files.keys()].map(toVisibleLine),
      widens: formatWidening({ files, config: config.current(), ownRoles: await readOwnRoles() }),
      problems: formatProblems(files, config.current()),
      ignored: [...new Set([...ignored, ...files.ignored])].map(toVisibleLine),
    };
  }

  return {
    read,
    async isTrusted(workspace) {
      return (await read(workspace)).trusted;
    },
    inspect,
    async trust(directory, hash, by) {
      const view = await inspect(directory);
      const { workspace, problems } = view;
      if (problems.length > 0) {
        throw new ToolyardError('untrusted', `${workspace} cannot be trusted. ${problems.join(' ')}`);
      }
      if (hash !== view.hash) throw changedMeanwhile(workspace);
      const at = new Date(clock.now()).toISOString();
      const changed = { change: 'workspace_trusted', subject: workspace } as const;
      await store.commit(async (tx) => {
        await tx.putTrust(workspace, hash, at);
        await tx.appendAudit(toChangeEntry(clock, by, changed));
      });
      return { ...view, trusted: true };
    },
    async inherit(from, to) {
      const [original, copy] = await Promise.all([read(from), read(to)]);
      if (!original.trusted || copy.trusted || original.set.hash !== copy.set.hash) return;
      const at = new Date(clock.now()).toISOString();
      const by = { kind: 'system', id: 'toolyard', via: `the trust of ${from}` } as const;
      await store.commit(async (tx) => {
        await tx.putTrust(to, copy.set.hash, at);
        await tx.appendAudit(toChangeEntry(clock, by, { change: 'workspace_trusted', subject: to }));
      });
    },
  };
}

function changedMeanwhile(workspace: string): ToolyardError {
  const why = 'its files changed after they were shown.';
  return new ToolyardError('untrusted', `${workspace} was not trusted: ${why} Review it again, then decide.`);
}
