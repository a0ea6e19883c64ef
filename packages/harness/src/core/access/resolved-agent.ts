// What a session's agent is at this moment: its role, the configuration in force, what its workspace tells, who is above it.
import type { Config, Role, RoleCeiling, Session, Store } from '@toolyard/sdk';
import type { LiveConfig } from '../config/current-config.ts';
import type { Clock } from '../lib/ports.ts';
import { createRoles, type Roles } from '../roles/roles.ts';
import { type Configs, createConfigs } from '../workspace/workspace-config.ts';
import { toWorkspaceContext } from '../workspace/workspace-context.ts';
import type { WorkspaceFiles } from '../workspace/workspace-files.ts';
import type { AncestorRoles } from './access.ts';
import { createTrust, type Trust } from './trust.ts';

/** What a session's agent is, as its person and its workspace say now. */
export interface ResolvedAgent {
  role: Role;
  config: Config;
  /** What the workspace tells every agent. */
  context: string;
  /** The roles above a drafted agent. */
  ancestorRoles?: AncestorRoles;
}

/** By what a session's agent is found: its role, where it works and, if it was drafted, its own id. */
export type AgentIdentity = Pick<Session, 'role' | 'workspace' | 'agentId'>;

/** The files that count where a session works, or would work once `parent` has drafted its agent. */
export type ReadFilesOf = (session: Located, parent?: Located) => Promise<WorkspaceFiles>;

type Located = Pick<Session, 'workspace' | 'agentId'>;

export interface ResolveAgentDeps {
  store: Store;
  trust: Pick<Trust, 'read'>;
  roles: Pick<Roles, 'findIn'>;
  configs: Pick<Configs, 'forFiles'>;
}

export type ResolveAgent = (session: AgentIdentity) => Promise<ResolvedAgent>;

/** Both of files that are read once: what they say of role, configuration and context is of one moment. */
export function createResolveAgent({ store, trust, roles, configs }: ResolveAgentDeps): {
  readFiles: ReadFilesOf;
  resolve: ResolveAgent;
} {
  async function ceilingOf({ agentId }: Pick<Session, 'agentId'>): Promise<readonly RoleCeiling[]> {
    return (agentId && (await store.reads.dispatch(agentId))?.ceiling) || [];
  }

  return {
    async readFiles(session, parent) {
      const lineage = toLineage(await ceilingOf(parent ?? session));
      return trust.read(session.workspace, parent ? [...lineage, parent.workspace] : lineage);
    },

    async resolve(session) {
      const ceiling = await ceilingOf(session);
      const files = await trust.read(session.workspace, toLineage(ceiling));
      // Whoever drafted it has named the role, and meant the one that is so called there.
      const role = await roles.findIn(session.role, files.parent ?? files);
      const agent = { role, config: configs.forFiles(files), context: toWorkspaceContext(files) };
      return session.agentId ? { ...agent, ancestorRoles: ceiling } : agent;
    },
  };
}

/** The workspaces above, topmost first. None of an agent that was drafted before they were recorded. */
function toLineage(ceiling: readonly RoleCeiling[]): string[] {
  return ceiling.flatMap(({ workspace }) => workspace ?? []);
}

export interface AccessDeps {
  store: Store;
  clock: Clock;
  live: LiveConfig;
  home: string;
  /** Roles that ship. */
  shippedFolder: string;
  /** Roles of the program around the yard. */
  givenRoles: readonly Role[];
}

/** Who may do what: trust in workspaces, roles, configurations, and what a session's agent is by them. */
export function createAccess({ store, clock, live, home, shippedFolder, givenRoles }: AccessDeps) {
  const own = { shippedFolder, home, given: givenRoles, clock };
  const trust = createTrust({ store, config: live, ...own });
  const roles = createRoles({ ...own, trust });
  const configs = createConfigs({ base: live, trust });
  return { trust, roles, configs, ...createResolveAgent({ store, trust, roles, configs }) };
}
