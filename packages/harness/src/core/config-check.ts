// Does what a configuration names exist? Its schema cannot know.
import { type Config, type Engine, ToolyardError } from '@toolyard/sdk';
import { refuse } from './config-change.ts';
import type { Models } from './models.ts';
import type { Roles } from './roles.ts';

export interface ConfigCheckDeps {
  roles: Roles;
  models: Models;
  findEngine(name: string): Engine;
  /** Where roles are looked for. */
  workspace: string;
}

/** Throws `invalid_request` with the key that names what is not there. */
export function createConfigCheck({ roles, models, findEngine, workspace }: ConfigCheckDeps) {
  return async ({ defaults }: Config): Promise<void> => {
    const checks = [
      ['defaults.role', async () => void (await roles.find(defaults.role, workspace))],
      ['defaults.engine', async () => void findEngine(defaults.engine)],
      ['defaults.model', async () => models.check(defaults.model)],
    ] as const;
    for (const [path, check] of checks) {
      await check().catch((thrown: unknown) => {
        throw thrown instanceof ToolyardError ? refuse([{ path, message: thrown.message }]) : thrown;
      });
    }
  };
}
