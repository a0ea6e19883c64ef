// Which tools a caller is offered: those of the host that its role may use, and its engine's own.
import type { Config, NativeTool, Role, ToolInfo, ToolSpec } from '@toolyard/sdk';
import { type Above, judgeAccess, judgeHostTool } from '../access/access.ts';
import { type Target, toHostTarget, toNativeTarget } from './call-target.ts';
import type { ToolRegistry } from './tool-registry.ts';

/** Whose list it is: a role, within a configuration. */
export interface Holder {
  role: Role;
  config: Config;
  /** Those that have drafted its agent. */
  above?: Above;
  /** The own tools of the engine that calls, if an engine does. */
  nativeTools?: readonly NativeTool[];
}

export type OfferedTools = ReturnType<typeof createOfferedTools>;

export function createOfferedTools(registry: ToolRegistry) {
  const infos = [...registry.values()].map(({ info }) => info);
  const hostTargets = new Map([...registry].map(([name, registered]) => [name, toHostTarget(registered)]));
  /** Roles and configurations are the same objects until their files change, and so is the list. */
  const lists = new WeakMap<Role, Pick<Holder, 'config' | 'above'> & { list: readonly ToolInfo[] }>();

  function isOffered(info: ToolInfo, { role, config, above }: Holder): boolean {
    return judgeHostTool(role, info, config, above).offered;
  }

  return {
    list(holder: Holder): readonly ToolInfo[] {
      const { role, config, above } = holder;
      const known = lists.get(role);
      if (known && known.config === config && known.above === above) return known.list;
      const made = infos.filter((info) => isOffered(info, holder));
      lists.set(role, { config, above, list: made });
      return made;
    },

    /** What a role does not have is, for it, not there. */
    find(name: string, holder: Holder): Target | undefined {
      const registered = registry.get(name);
      if (registered) return isOffered(registered.info, holder) ? hostTargets.get(name) : undefined;
      const native = holder.nativeTools?.find((tool) => tool.name === name);
      if (!native || !judgeAccess(holder.role, name, holder.config, holder.above).offered) return undefined;
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
