// Which tools a role has. What it does not have is absent from its list: it can neither see nor call it.
import type { Config, Role, ToolInfo } from '@toolyard/sdk';

/** Tools that every role may use: they touch only what is the agent's own, or ask its person. */
export const forEveryRole: ReadonlySet<string> = new Set([
  'mcp__toolyard__read_output',
  ...['claude:TaskCreate', 'claude:TaskGet', 'claude:TaskList', 'claude:TaskUpdate', 'claude:TodoWrite'],
  ...['claude:ToolSearch', 'claude:PlanFile', 'claude:AskUserQuestion', 'claude:ExitPlanMode'],
]);

/** Is this host tool there for this role? Its toolkit may be switched off as a whole. */
export function judgeHostTool(role: Role, { name, toolkit }: ToolInfo, config: Config): AccessRule {
  const { toolkits } = config;
  const off = Object.hasOwn(toolkits, toolkit) && toolkits[toolkit] === false;
  return off
    ? { offered: false, rule: `toolkit ${toolkit} is switched off` }
    : judgeAccess(role, name, config);
}

export interface AccessRule {
  offered: boolean;
  /** The rule that says so. */
  rule: string;
}

/** May this role have the tool of this name? */
export function judgeAccess(role: Role, tool: string, config: Config): AccessRule {
  const { allow, deny } = role.tools;
  const denied = deny.find((pattern) => matches(pattern, tool));
  if (denied) return { offered: false, rule: `role ${role.name} denies ${denied}` };
  const allowed = allow.find((pattern) => matches(pattern, tool));
  if (allowed) return { offered: true, rule: `role ${role.name} allows ${allowed}` };
  if (forEveryRole.has(tool)) return { offered: true, rule: 'every role has it' };
  const byCategory = config.mcp.fullAccessCategories.includes(role.category) ? 'full' : 'readonly';
  const access = role.access ?? byCategory;
  const source = role.access ? `role ${role.name}` : `category ${role.category}`;
  return { offered: access === 'full', rule: `${source} has ${access} access` };
}

/** A full name, or one that ends in `*`. */
export function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}
