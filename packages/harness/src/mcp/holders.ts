// Whose tools a call may use: its role and the configuration in force, as they are on disk when the call comes. Calls
// that come together are served by one look.
import type { Holder } from '../core/calls/offered-tools.ts';
import type { Roles } from '../core/roles/roles.ts';
import type { Configs } from '../core/workspace/workspace-config.ts';
import type { ReadWorkspaceFiles } from '../core/workspace/workspace-files.ts';

export interface HolderDeps {
  trust: { read: ReadWorkspaceFiles };
  roles: Pick<Roles, 'findIn'>;
  configs: Pick<Configs, 'within'>;
}

export interface Holders {
  /** Without a role: the default of the workspace. Throws `unknown_role` and `invalid_config`. */
  find(workspace: string, role: string | undefined): Promise<Holder>;
}

export function createHolders({ trust, roles, configs }: HolderDeps): Holders {
  /** Looks that have not begun: whatever changed before a call was made, they will see. */
  const soon = new Map<string, Promise<Holder>>();

  async function look(workspace: string, name: string | undefined): Promise<Holder> {
    const files = await trust.read(workspace);
    const config = configs.within(files);
    return { config, role: await roles.findIn(name ?? config.defaults.role, files) };
  }

  return {
    find(workspace, role) {
      const key = JSON.stringify([workspace, role]);
      const planned = soon.get(key);
      if (planned) return planned;
      const { promise, resolve } = Promise.withResolvers<Holder>();
      soon.set(key, promise);
      setImmediate(() => {
        soon.delete(key);
        resolve(look(workspace, role));
      });
      return promise;
    },
  };
}
