// Whose tools a call may use: its role and the configuration in force, read from disk. A burst of calls reads them once.
import type { Config } from '@toolyard/sdk';
import type { Holder } from '../core/call-preparation.ts';
import type { Clock } from '../core/ports.ts';
import type { Roles } from '../core/roles.ts';

export interface HolderDeps {
  roles: Pick<Roles, 'find'>;
  configs: { for(workspace: string): Promise<Config> };
  clock: Clock;
}

export interface Holders {
  /** Without a role: the default of the workspace. Throws `unknown_role` and `invalid_config`. */
  find(workspace: string, role: string | undefined): Promise<Holder>;
}

/** A changed file counts for calls that come later than this. */
const freshMs = 250;
const mostKept = 100;

export function createHolders({ roles, configs, clock }: HolderDeps): Holders {
  const kept = new Map<string, { at: number; holder: Promise<Holder> }>();

  async function read(workspace: string, name: string | undefined): Promise<Holder> {
    const config = await configs.for(workspace);
    return { config, role: await roles.find(name ?? config.defaults.role, workspace) };
  }

  return {
    find(workspace, role) {
      const key = JSON.stringify([workspace, role]);
      const found = kept.get(key);
      if (found && Math.abs(clock.now() - found.at) < freshMs) return found.holder;
      if (kept.size >= mostKept) kept.clear();
      const holder = read(workspace, role);
      kept.set(key, { at: clock.now(), holder });
      holder.catch(() => kept.delete(key));
      return holder;
    },
  };
}
