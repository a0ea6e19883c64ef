// What a session's agent is at this moment: its role, the configuration in force, what its workspace tells, who is above it.
import type { Config, Role, Session, Store } from '@toolyard/sdk';
import type { Roles } from '../roles/roles.ts';
import type { Configs } from '../workspace/workspace-config.ts';
import { toWorkspaceContext } from '../workspace/workspace-context.ts';
import type { Above } from './access.ts';
import type { Trust } from './trust.ts';

/** What a session's agent is, as its person and its workspace say now. */
export interface As {
  role: Role;
  config: Config;
  /** What the workspace tells every agent. */
  context: string;
  /** The roles above a drafted agent. */
  above?: Above;
}

export type Standing = Pick<Session, 'role' | 'workspace' | 'agentId'>;

export interface StandingDeps {
  store: Store;
  trust: Pick<Trust, 'read'>;
  roles: Pick<Roles, 'findIn'>;
  configs: Pick<Configs, 'within'>;
}

export type Resolve = (session: Standing) => Promise<As>;

/** Of files that are read once: what they say of role, configuration and context is of one moment. */
export function createResolve({ store, trust, roles, configs }: StandingDeps): Resolve {
  return async (session) => {
    const files = await trust.read(session.workspace);
    const role = await roles.findIn(session.role, files);
    const as = { role, config: configs.within(files), context: toWorkspaceContext(files) };
    if (!session.agentId) return as;
    return { ...as, above: (await store.reads.dispatch(session.agentId))?.ceiling ?? [] };
  };
}
