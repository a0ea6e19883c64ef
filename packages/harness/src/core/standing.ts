// What a session's agent is at this moment: its role, the configuration in force, what its workspace tells, who is above it.
import type { Session, Store } from '@toolyard/sdk';
import type { As } from './engine-sessions.ts';
import type { Roles } from './roles.ts';
import type { Trust } from './trust.ts';
import type { Configs } from './workspace-config.ts';
import { toWorkspaceContext } from './workspace-context.ts';

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
