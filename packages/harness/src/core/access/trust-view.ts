// Says in sentences what trusting a workspace would do, and what stands in the way. Pure. What it quotes comes from
// strangers' files, so nothing hidden gets through.
import { type Config, type Role, ToolyardError, toVisibleLine } from '@toolyard/sdk';
import { narrow } from '../config/narrow.ts';
import { type FoundRole, findWorkspaceRoles } from '../roles/role-sources.ts';
import { parseWorkspaceConfig } from '../workspace/workspace-config.ts';
import type { WorkspaceFiles } from '../workspace/workspace-files.ts';

export interface Widening {
  files: WorkspaceFiles;
  config: Config;
  ownRoles: readonly FoundRole[];
}

export function formatWidening({ files, config, ownRoles }: Widening): string[] {
  return [
    ...formatConfig(files, config),
    ...findWorkspaceRoles(files).flatMap((each) => ('role' in each ? [formatRole(each.role, ownRoles)] : [])),
    ...formatOthers(files),
  ].map(toVisibleLine);
}

/** Empty when a person may trust it. */
export function formatProblems({ root, set }: WorkspaceFiles, config: Config): string[] {
  const unread = [...set.problems].map(([path, why]) => `${path || root}: ${why}.`);
  const broken = attempt(() => parseWorkspaceConfig({ root, set }, config));
  return [...unread, ...(broken instanceof ToolyardError ? [broken.message] : [])].map(toVisibleLine);
}

/** Every key that holds more after trust than before it. */
function formatConfig({ root, set }: WorkspaceFiles, config: Config): string[] {
  const wanted = attempt(() => parseWorkspaceConfig({ root, set }, config));
  if (!wanted || wanted instanceof ToolyardError) return [];
  const before = new Map(toLeaves(narrow(config, wanted)));
  return toLeaves(wanted)
    .filter(([key, value]) => before.get(key) !== value)
    .map(([key, value]) => `toolyard.yaml sets ${key} to ${value} (now ${before.get(key) ?? 'not set'}).`);
}

/** `a.b` and its value in JSON, for everything that is not itself a map. */
function toLeaves(value: unknown, path = ''): [key: string, text: string][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [[path, JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, part]) => toLeaves(part, path === '' ? key : `${path}.${key}`));
}

function formatRole(role: Role, ownRoles: readonly FoundRole[]): string {
  const { name, file, category, access, mode, engine, model, tools } = role;
  const replaced = ownRoles.findLast((each) => each.name === name);
  const never = Object.entries(tools.tiers).flatMap(([tool, tier]) => (tier === 'auto' ? [tool] : []));
  const details = [
    `category ${category}`,
    access && `${access} access`,
    mode && `mode ${mode}`,
    engine && `engine ${engine}`,
    model && `model ${model}`,
    tools.allow.length > 0 && `tools ${tools.allow.join(', ')}`,
    never.length > 0 && `never asks for ${never.join(', ')}`,
  ];
  const verb = replaced ? `The role "${name}" replaces your` : `The role "${name}" is added`;
  const place = replaced ? ` ${'role' in replaced ? replaced.role.source : 'broken'} one` : '';
  return `${verb}${place}: ${details.filter(Boolean).join(', ')} (${file}).`;
}

function formatOthers({ set }: WorkspaceFiles): string[] {
  const spoken = ['CLAUDE.md', 'AGENTS.md'].filter((path) => set.files.has(path));
  return [
    ...(set.files.has('.mcp.json') ? ['.mcp.json may name servers to start or connect to.'] : []),
    ...spoken.map((path) => `${path} may instruct agents that work here.`),
  ];
}

/** The value, or the error of ours that stood in its way. */
function attempt<T>(work: () => T): T | ToolyardError {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof ToolyardError) return thrown;
    throw thrown;
  }
}
