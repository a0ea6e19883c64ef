// The configuration in force in a workspace: the person's, narrowed by the workspace's `toolyard.yaml`, or overridden
// by it once a person trusts the workspace. What concerns the server as a whole is never taken from a workspace.
import { join } from 'node:path';
import { Config, ToolyardError } from '@toolyard/sdk';
import { z } from 'zod';
import type { LiveConfig } from '../config/current-config.ts';
import { narrow } from '../config/narrow.ts';
import { parseYaml } from '../files/yaml.ts';
import type { ReadWorkspaceFiles, WorkspaceFiles } from './workspace-files.ts';

const fileName = 'toolyard.yaml';

/** Whether a trusted workspace has a say. A new section does not compile until that is decided here. */
const overridable: Record<keyof Config, boolean> = {
  server: false,
  defaults: true,
  providers: false,
  limits: true,
  workspace: true,
  claude: false,
  toolkits: true,
  toolApproval: true,
  mcp: true,
  tools: true,
  output: true,
  retention: false,
  backup: false,
};

export interface Configs {
  /** Throws `invalid_config` with file and line when the workspace's own file is broken. */
  for(workspace: string): Promise<Config>;
  /** The same, of a workspace whose files were just read. */
  forFiles(files: WorkspaceFiles): Config;
}

export interface ConfigDeps {
  /** The person's own. */
  base: LiveConfig;
  trust: { read: ReadWorkspaceFiles };
}

export function createConfigs({ base: live, trust }: ConfigDeps): Configs {
  let parsed = new WeakMap<object, Config>();
  let of = live.current();

  function forFiles({ root, set, trusted }: WorkspaceFiles): Config {
    const base = live.current();
    if (base !== of) parsed = new WeakMap();
    of = base;
    const wanted = parsed.get(set) ?? parseWorkspaceConfig({ root, set }, base) ?? base;
    parsed.set(set, wanted);
    return trusted ? wanted : narrow(base, wanted);
  }

  return { forFiles, for: async (workspace) => forFiles(await trust.read(workspace)) };
}

/** `base` with the workspace's words written over it; nothing when it says none. */
export function parseWorkspaceConfig(
  { root, set }: Pick<WorkspaceFiles, 'root' | 'set'>,
  base: Config,
): Config | undefined {
  const file = join(root, fileName);
  const why = set.skipped.get(fileName) ?? set.problems.get(fileName);
  if (why !== undefined) throw new ToolyardError('invalid_config', `${file}: ${why}.`, { data: { file } });
  const content = set.files.get(fileName);
  if (!content) return undefined;
  const text = decode(content, file);
  // Once for what is wrong with it, once for what it says and what it leaves open.
  parseYaml(Config, text, file);
  const written = parseYaml(z.record(z.string(), z.unknown()).default({}), text, file);
  const counted = Object.entries(written).filter(([key]) => isOverridable(key));
  return Config.parse(overlay(base, Object.fromEntries(counted)));
}

function isOverridable(key: string): boolean {
  return Object.entries(overridable).some(([section, counts]) => counts && section === key);
}

/** Maps are merged, anything else is replaced. */
function overlay(base: unknown, override: unknown): unknown {
  if (!isMap(base) || !isMap(override)) return override;
  const merged = Object.entries(override).map(([key, value]) => {
    return [key, Object.hasOwn(base, key) ? overlay(base[key], value) : value] as const;
  });
  return Object.fromEntries([...Object.entries(base), ...merged]);
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function decode(content: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch (cause) {
    throw new ToolyardError('invalid_config', `${file}: the file is not UTF-8 text.`, {
      data: { file },
      cause,
    });
  }
}
