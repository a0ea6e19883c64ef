// What a role meets when it calls each tool, and why: the policy, printed.
import type { Config, Engine, Grant, ListedTool, PermissionMode, Role, Store } from '@toolyard/sdk';
import { type AccessRule, judgeHostTool, judgeNativeTool } from '../access/access.ts';
import { isExpired } from '../grants/grants.ts';
import type { Clock } from '../lib/ports.ts';
import { toTiers } from './call-facts.ts';
import { type Target, toHostTarget, toNativeTarget } from './offered-tools.ts';
import { allowsGrants, decide } from './policy.ts';
import type { ToolRegistry } from './tool-registry.ts';

export interface ExplainDeps {
  registry: ToolRegistry;
  store: Pick<Store, 'reads'>;
  clock: Clock;
  findEngine(name: string): Engine;
}

/** Who would call, and where. */
export interface ExplainRequest {
  role: Role;
  mode: PermissionMode;
  config: Config;
  workspace: string;
}

/** Every tool, with whether the role has it and what a first call in a new session of this mode would meet. */
export type ExplainTools = (asked: ExplainRequest) => Promise<ListedTool[]>;

export function createExplainTools({ registry, store, clock, findEngine }: ExplainDeps): ExplainTools {
  return async (asked) => {
    const { role, config, workspace } = asked;
    const grants = (await store.reads.grants()).filter(
      (grant) => grant.role === role.name && grant.workspace === workspace && !isExpired(grant, clock.now()),
    );
    const hostTools = [...registry.values()].map((registered): ListedTool => {
      const access = judgeHostTool(role, registered.info, config);
      return { ...registered.info, ...toVerdict(toHostTarget(registered), access, asked, grants) };
    });
    const engine = findEngine(role.engine ?? config.defaults.engine);
    const ownTools = engine.nativeTools.map((native): ListedTool => {
      const { name, effect, tier = 'session' } = native;
      const access = judgeNativeTool(role, native, config);
      const about = { title: name, description: `A tool of the engine ${engine.id}.`, toolkit: engine.id };
      const schemas = { inputSchema: {}, outputSchema: {} };
      const verdict = toVerdict(toNativeTarget(native), access, asked, grants);
      return { name, ...about, effect, tier, ...schemas, engine: engine.id, ...verdict };
    });
    return [...hostTools, ...ownTools];
  };
}

function toVerdict(
  { name, effect, external, tier, schemaHash }: Target,
  access: AccessRule,
  { role, mode, config }: ExplainRequest,
  grants: readonly Grant[],
): Pick<ListedTool, 'offered' | 'verdict' | 'rule'> {
  if (!access.offered) return { offered: false, verdict: 'deny', rule: access.rule };
  const theirs = grants.filter((grant) => grant.tool === name && grant.schemaHash === schemaHash);
  // A key that is the tool's name covers every input.
  const whole = theirs.find(({ key }) => key === name);
  const tiers = toTiers({ name, tier }, role, config);
  const grant = whole && { id: whole.id, scope: whole.scope };
  const { verdict, rule } = decide({ mode, effect, inWorkspace: false, external, tiers, grant });
  const isPartly = verdict === 'ask' && theirs.length > 0 && allowsGrants(tiers);
  const partly = `; granted for certain inputs: ${theirs.map(({ id }) => id).join(', ')}`;
  return { offered: true, verdict, rule: isPartly ? `${rule}${partly}` : rule };
}
