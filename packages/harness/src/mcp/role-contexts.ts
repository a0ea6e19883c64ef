// Whose tools a call may use: its role and the configuration in force, as they are on disk when the call comes. Calls
// that come together are served by one look.
import type { RoleContext } from '../core/calls/offered-tools.ts';
import type { Roles } from '../core/roles/roles.ts';
import type { Configs } from '../core/workspace/workspace-config.ts';
import type { ReadWorkspaceFiles } from '../core/workspace/workspace-files.ts';

export interface RoleContextDeps {
  trust: { read: ReadWorkspaceFiles };
  roles: Pick<Roles, 'findIn'>;
  configs: Pick<Configs, 'forFiles'>;
}

export interface RoleContexts {
  /** Without a role: the default of the workspace. Throws `unknown_role` and `invalid_config`. */
  find(workspace: string, role: string | undefined): Promise<RoleContext>;
}

export function createRoleContexts({ trust, roles, configs }: RoleContextDeps): RoleContexts {
  /** Looks that have not begun: whatever changed before a call was made, they will see. */
  const scheduled = new Map<string, Promise<RoleContext>>();

  async function resolveContext(workspace: string, name: string | undefined): Promise<RoleContext> {
    const files = await trust.read(workspace);
    const config = configs.forFiles(files);
    return { config, role: await roles.findIn(name ?? config.defaults.role, files) };
  }

  return {
    find(workspace, role) {
      const key = JSON.stringify([workspace, role]);
      const planned = scheduled.get(key);
      if (planned) return planned;
      const { promise, resolve } = Promise.withResolvers<RoleContext>();
      scheduled.set(key, promise);
      setImmediate(() => {
        scheduled.delete(key);
        resolve(resolveContext(workspace, role));
      });
      return promise;
    },
  };
}
