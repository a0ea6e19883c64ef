// The configuration in force in a workspace: the person's, narrowed by the workspace's `toolyard.yaml`, or overridden by
// it once a person trusts the workspace; then narrowed by the folders above it. Under a session that drafted it, nothing
// overrides: every workspace on the way down only narrows. What concerns the server is never taken from a workspace.
import { join } from 'node:path';
import { Config, ToolyardError } from '@toolyard/sdk';
import { z } from 'zod';
import type { LiveConfig } from '../config/current-config.ts';
import { narrow } from '../config/narrow.ts';
import { parseYaml } from '../files/yaml.ts';
import { rulesFile } from './markers.ts';
import type { FolderFiles, ReadWorkspaceFiles, WorkspaceFiles } from './workspace-files.ts';

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
  /** Throws `invalid_config` with file and line when a file of the person's own that counts there is broken. */
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
  const resolved = new WeakMap<object, { from: readonly unknown[]; config: Config }>();

  function forFiles(files: WorkspaceFiles): Config {
    const start = files.parent ? forFiles(files.parent) : live.current();
    const from = [start, files.trusted, files.isForeign, ...files.above.map(({ set }) => set)];
    const known = resolved.get(files.set);
    if (known && isSame(known.from, from)) return known.config;
    const config = resolveConfig(files, start);
    resolved.set(files.set, { from, config });
    return config;
  }

  return { forFiles, for: async (workspace) => forFiles(await trust.read(workspace)) };
}

/** `start`: the person's own, or what is in force where the session works that drafted this one's agent. */
function resolveConfig(files: WorkspaceFiles, start: Config): Config {
  const wanted = files.isForeign ? attemptParse(files, start) : parseWorkspaceConfig(files, start);
  const widens = files.trusted && !files.parent;
  const own = wanted && !widens ? narrow(start, wanted) : (wanted ?? start);
  return files.above.reduce((config, folder) => {
    const narrower = parseWorkspaceConfig(folder, config);
    return narrower ? narrow(config, narrower) : config;
  }, own);
}

/** Of another user's file: what is wrong with it is not the person's to mend. */
function attemptParse(files: FolderFiles, start: Config): Config | undefined {
  try {
    return parseWorkspaceConfig(files, start);
  } catch (thrown) {
    if (thrown instanceof ToolyardError && thrown.code === 'invalid_config') return undefined;
    throw thrown;
  }
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index]);
}

/** `base` with the folder's words written over it; nothing when it says none. */
export function parseWorkspaceConfig({ root, set }: FolderFiles, base: Config): Config | undefined {
  const file = join(root, rulesFile);
  const why = set.skipped.get(rulesFile) ?? set.problems.get(rulesFile);
  if (why !== undefined) throw new ToolyardError('invalid_config', `${file}: ${why}.`, { data: { file } });
  const content = set.files.get(rulesFile);
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
