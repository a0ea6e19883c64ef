// Which tools a caller is offered: those of the host that its role may use, and its engine's own.
import type {
  Config,
  Effect,
  NativeTool,
  Role,
  Tier,
  Tool,
  ToolInfo,
  ToolSpec,
  TouchedPath,
} from '@toolyard/sdk';
import { z } from 'zod';
import { type AncestorRoles, judgeHostTool, judgeNativeTool } from '../access/access.ts';
import { toCanonical, toHash } from '../lib/canonical-json.ts';
import type { RegisteredTool, ToolRegistry } from './tool-registry.ts';

/** Whose list it is: a role, within a configuration. */
export interface RoleContext {
  role: Role;
  config: Config;
  /** Those that have drafted its agent. */
  ancestorRoles?: AncestorRoles;
  /** The own tools of the engine that calls, if an engine does. */
  nativeTools?: readonly NativeTool[];
}

export type OfferedTools = ReturnType<typeof createOfferedTools>;

export function createOfferedTools(registry: ToolRegistry) {
  const infos = [...registry.values()].map(({ info }) => info);
  const hostTargets = new Map([...registry].map(([name, registered]) => [name, toHostTarget(registered)]));
  /** Roles and configurations are the same objects until their files change, and so is the list. */
  const lists = new WeakMap<
    Role,
    Pick<RoleContext, 'config' | 'ancestorRoles'> & { list: readonly ToolInfo[] }
  >();

  function isOffered(info: ToolInfo, { role, config, ancestorRoles }: RoleContext): boolean {
    return judgeHostTool(role, info, config, ancestorRoles).offered;
  }

  return {
    list(roleContext: RoleContext): readonly ToolInfo[] {
      const { role, config, ancestorRoles } = roleContext;
      const known = lists.get(role);
      if (known && known.config === config && known.ancestorRoles === ancestorRoles) return known.list;
      const made = infos.filter((info) => isOffered(info, roleContext));
      lists.set(role, { config, ancestorRoles, list: made });
      return made;
    },

    /** What a role does not have is, for it, not there. */
    find(name: string, roleContext: RoleContext): Target | undefined {
      const registered = registry.get(name);
      if (registered) return isOffered(registered.info, roleContext) ? hostTargets.get(name) : undefined;
      const native = roleContext.nativeTools?.find((tool) => tool.name === name);
      const { role, config, ancestorRoles } = roleContext;
      if (!native || !judgeNativeTool(role, native, config, ancestorRoles).offered) return undefined;
      return toNativeTarget(native);
    },
  };
}

const specs = new WeakMap<readonly ToolInfo[], readonly ToolSpec[]>();

/** Tools as an engine's model sees them. One list has one result, so that an engine can keep what it derives from it. */
export function toToolSpecs(infos: readonly ToolInfo[]): readonly ToolSpec[] {
  const known = specs.get(infos);
  if (known) return known;
  const made = infos.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  specs.set(infos, made);
  return made;
}

/** What a call reaches: a host tool, which the toolbox runs, or an engine's own, which only its engine can run. */
export interface Target {
  name: string;
  effect: Effect;
  external: boolean;
  tier: Tier | undefined;
  /** Changes when what a person approved would no longer be what runs. */
  schemaHash: string;
  /** The handler; absent for an engine's own tool. */
  tool?: Tool;
  parse(input: unknown): { input: unknown } | { invalid: string };
  /** The tool's own idea of "the same call". */
  ownKey(input: unknown): string | undefined;
  /** The files that a call touches. */
  paths(input: unknown): TouchedPath[];
}

export function toHostTarget({ tool, info, schemaHash, external }: RegisteredTool): Target {
  const { name, effect } = info;
  return {
    name,
    effect,
    external,
    schemaHash,
    tool,
    tier: tool.tier,
    parse(input) {
      const parsed = tool.input.safeParse(input);
      return parsed.success ? { input: parsed.data } : { invalid: z.prettifyError(parsed.error) };
    },
    ownKey: (input) => toStrictKey(name, input, () => tool.grantKey?.(input)),
    paths: () => [],
  };
}

export function toNativeTarget(native: NativeTool): Target {
  const { name, effect, tier } = native;
  return {
    name,
    effect,
    tier,
    external: false,
    schemaHash: toHash({ name, effect }),
    parse: (input) =>
      typeof input === 'object' && input !== null && !Array.isArray(input)
        ? { input }
        : { invalid: 'the input must be an object' },
    ownKey: (input) => toStrictKey(name, input, () => native.grantKey?.(input)),
    paths: (input) => native.paths?.(input) ?? [],
  };
}

/** A tool that cannot say what "the same call" is gets the strictest meaning: the whole input. */
function toStrictKey(name: string, input: unknown, key: () => string | undefined): string | undefined {
  try {
    return key();
  } catch {
    return `${name} ${toCanonical(input)}`;
  }
}
