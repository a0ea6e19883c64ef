// A tool's full name, taken apart for a reader: what it is called and whose it is. Pure.
import { toVisibleLine } from '@toolyard/sdk';

export interface ToolName {
  name: string;
  /** The server or engine that has it. */
  owner?: string;
}

export function toToolName(full: string): ToolName {
  const shown = toVisibleLine(full.length > 200 ? `${full.slice(0, 200)}…` : full);
  const [, server, tool] = /^mcp__([a-z0-9-]+)__(.+)$/.exec(shown) ?? [];
  if (server && tool) return { name: tool, owner: server };
  const [, engine, own] = /^([a-z][a-z0-9-]*):(.+)$/.exec(shown) ?? [];
  return engine && own ? { name: own, owner: engine } : { name: shown };
}
