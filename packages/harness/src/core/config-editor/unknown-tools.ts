// Toolkits and tools that a configuration names and that are not there: a slip in a name would switch nothing off, and
// let nobody be asked.
import type { Config } from '@toolyard/sdk';
import type { ToolRegistry } from '../calls/tool-registry.ts';
import { didYouMean, findNearest } from '../lib/did-you-mean.ts';
import type { Logger } from '../lib/ports.ts';
import type { Issue } from './config-change.ts';

/** What there is to be named. */
export interface ToolNames {
  toolkits: readonly string[];
  /** Full ones. */
  tools: readonly string[];
}

export function toToolNames(registry: ToolRegistry): ToolNames {
  const toolkits = new Set([...registry.values()].map(({ info }) => info.toolkit));
  return { toolkits: [...toolkits], tools: [...registry.keys()] };
}

/** Tools of other servers and of engines (`claude:Bash`) may come later, and are let be. */
export function findUnknownTools(
  { toolkits, toolApproval }: Pick<Config, 'toolkits' | 'toolApproval'>,
  known: ToolNames,
): Issue[] {
  const unknownKits = Object.keys(toolkits).filter((name) => !known.toolkits.includes(name));
  const unknownTools = Object.keys(toolApproval.perTool).filter((name) => isUnknown(name, known.tools));
  return [
    ...unknownKits.map((name) => ({
      path: `toolkits.${name}`,
      message: `there is no such toolkit.${didYouMean(name, known.toolkits)}`,
    })),
    ...unknownTools.map((name) => ({
      path: `toolApproval.perTool.${name}`,
      message: `there is no such tool.${suggest(name, known.tools)}`,
    })),
  ];
}

/** A file that names one must not keep a server from starting. */
export function warnOfUnknownTools(config: Config, known: ToolNames, logger: Logger): void {
  for (const issue of findUnknownTools(config, known))
    logger.warn('the configuration names unknown tools or toolkits', { ...issue });
}

function isUnknown(name: string, tools: readonly string[]): boolean {
  if (tools.includes(name) || name.includes(':')) return false;
  const { server } = split(name);
  return server === undefined || tools.some((tool) => split(tool).server === server);
}

/** By the last part: what all of them begin with would make any two look alike. */
function suggest(name: string, tools: readonly string[]): string {
  const { server, own } = split(name);
  const candidates = tools.filter((tool) => server === undefined || split(tool).server === server);
  const near = findNearest(
    own,
    candidates.map((tool) => split(tool).own),
  );
  const suggestion = candidates.find((tool) => split(tool).own === near);
  return suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
}

function split(name: string): { server: string | undefined; own: string } {
  const [, server, own = name] = /^mcp__([^_]+)__(.+)$/s.exec(name) ?? [];
  return { server, own };
}
