// What a role meets when it calls each tool, and why: the policy, printed.
import type { Config, ListedTool, PermissionMode, Role } from '@toolyard/sdk';
import { judgeHostTool, matches } from './access.ts';
import { decide } from './policy.ts';
import type { ToolRegistry } from './tool-registry.ts';

/** Every tool, with whether the role has it and what a first call in this mode would meet. */
export function explainTools(
  registry: ToolRegistry,
  role: Role,
  mode: PermissionMode,
  config: Config,
): ListedTool[] {
  const { perTool, defaultTier } = config.toolApproval;
  return [...registry.values()].map(({ info, tool, external }) => {
    const access = judgeHostTool(role, info, config);
    if (!access.offered) return { ...info, offered: false, verdict: 'deny', rule: access.rule };
    const pattern = Object.keys(role.tools.tiers).find((each) => matches(each, info.name));
    const tiers = {
      perTool: Object.hasOwn(perTool, info.name) ? perTool[info.name] : undefined,
      role: pattern === undefined ? undefined : role.tools.tiers[pattern],
      tool: tool.tier,
      defaultTier,
    };
    const decision = decide({ mode, effect: info.effect, inWorkspace: false, external, tiers });
    return { ...info, offered: true, ...decision };
  });
}
