// Which tools a role has. What it does not have is absent from its list: it can neither see nor call it.
import type { Access, Config, NativeTool, RoleCeiling, ToolInfo } from '@toolyard/sdk';

/** Tools that every role may use: they touch only what is the agent's own, or ask its person. */
export const everyRoleTools: ReadonlySet<string> = new Set([
  'mcp__toolyard__read_output',
  ...['mcp__toolyard__list_agents', 'mcp__toolyard__list_tasks', 'mcp__toolyard__get_task_context'],
  ...['claude:TaskCreate', 'claude:TaskGet', 'claude:TaskList', 'claude:TaskUpdate', 'claude:TodoWrite'],
  ...['claude:ToolSearch', 'claude:PlanFile', 'claude:AskUserQuestion', 'claude:ExitPlanMode'],
]);

/**
 * Tools that every drafted agent has, whatever those above it have: they are about its own work. Read-only roles, which are
 * there to be drafted, list them always; whoever has all else and was not drafted needs none.
 */
export const everyAgentTools: ReadonlySet<string> = new Set(['mcp__toolyard__report_result']);

/** Is this host tool there for this role? Its toolkit may be switched off as a whole. */
export function judgeHostTool(
  role: ToolRules,
  { name, toolkit }: ToolInfo,
  config: Config,
  ancestorRoles?: AncestorRoles,
): AccessRule {
  const { toolkits } = config;
  const off = Object.hasOwn(toolkits, toolkit) && toolkits[toolkit] === false;
  return off
    ? { offered: false, rule: `toolkit ${toolkit} is switched off` }
    : judgeAccess(role, name, config, ancestorRoles);
}

/** Is this tool of an engine there for this role? One that runs commands must be able to confine them. */
export function judgeNativeTool(
  role: ToolRules,
  { name, unconfined }: NativeTool,
  config: Config,
  ancestorRoles?: AncestorRoles,
): AccessRule {
  return unconfined && config.workspace.security !== 'full-control'
    ? {
        offered: false,
        rule: `${unconfined}; only workspace.security: full-control runs commands all the same`,
      }
    : judgeAccess(role, name, config, ancestorRoles);
}

export interface AccessRule {
  offered: boolean;
  /** The rule that says so. */
  rule: string;
}

/** What of a role says which tools it has. */
export type ToolRules = Pick<RoleCeiling, 'name' | 'category' | 'tools'> & { access?: Access | undefined };

/** The roles above a drafted agent; absent for who was not drafted. */
export type AncestorRoles = readonly ToolRules[] | undefined;

/** May this role have the tool of this name, given those that have drafted its agent? */
export function judgeAccess(
  role: ToolRules,
  tool: string,
  config: Config,
  ancestorRoles?: AncestorRoles,
): AccessRule {
  if (everyAgentTools.has(tool) && !ancestorRoles && accessOf(role, config).access === 'full')
    return { offered: false, rule: 'only a drafted agent has it' };
  const own = judgeOwn(role, tool, config);
  if (!own.offered || !ancestorRoles || everyAgentTools.has(tool)) return own;
  const lacking = ancestorRoles.find((each) => !judgeOwn(each, tool, config).offered);
  return lacking ? { offered: false, rule: `${lacking.name}, which is above it, does not have it` } : own;
}

function judgeOwn(role: ToolRules, tool: string, config: Config): AccessRule {
  const { allow, deny } = role.tools;
  const denied = deny.find((pattern) => matches(pattern, tool));
  if (denied) return { offered: false, rule: `role ${role.name} denies ${denied}` };
  const allowed = allow.find((pattern) => matches(pattern, tool));
  if (allowed) return { offered: true, rule: `role ${role.name} allows ${allowed}` };
  if (everyRoleTools.has(tool)) return { offered: true, rule: 'every role has it' };
  if (everyAgentTools.has(tool)) return { offered: true, rule: 'every drafted agent has it' };
  const { access, source } = accessOf(role, config);
  return { offered: access === 'full', rule: `${source} has ${access} access` };
}

function accessOf(role: ToolRules, config: Config): { access: Access; source: string } {
  if (role.access) return { access: role.access, source: `role ${role.name}` };
  const isFull = config.mcp.fullAccessCategories.includes(role.category);
  return { access: isFull ? 'full' : 'readonly', source: `category ${role.category}` };
}

/** A full name, or one that ends in `*`. */
export function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}
