// Does what a configuration names exist? Its schema cannot know.
import { type Config, type Engine, ToolyardError } from '@toolyard/sdk';
import type { Models } from '../models/models.ts';
import type { Roles } from '../roles/roles.ts';
import { type KeyChange, refuse } from './config-change.ts';
import { findUnknownTools, type ToolNames } from './named-tools.ts';

export interface ConfigCheckDeps {
  roles: Roles;
  models: Models;
  findEngine(name: string): Engine;
  tools: ToolNames;
  /** Where roles are looked for. */
  workspace: string;
}

/** Throws `invalid_request` with the key that names what is not there. */
export function createConfigCheck({ roles, models, findEngine, tools, workspace }: ConfigCheckDeps) {
  return async (config: Config, changes: readonly KeyChange[]): Promise<void> => {
    const { defaults } = config;
    // What the file named before may be of another program's tools, and is told at the start.
    const named = new Set(changes.filter(({ value }) => value !== null).map(({ path }) => path.join('.')));
    const unknown = findUnknownTools(config, tools).filter(({ path }) => named.has(path));
    if (unknown.length > 0) throw refuse(unknown);
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
