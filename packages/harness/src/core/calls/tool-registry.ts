// The tools of this installation, each under its one name, with its schemas computed once.
import { type Tool, type ToolInfo, type Toolkit, ToolyardError, toFullName } from '@toolyard/sdk';
import { z } from 'zod';
import { toHash } from '../lib/canonical-json.ts';

export interface RegisteredTool {
  tool: Tool;
  info: ToolInfo;
  /** Changes when what a person approved would no longer be what runs. */
  schemaHash: string;
  /** Of another's server: counts as `execute`, and its own word is not believed. */
  external: boolean;
}

export type ToolRegistry = ReadonlyMap<string, RegisteredTool>;

/** Registers every tool. Two names that could be mistaken for each other refuse to start. */
export function createToolRegistry(toolkits: readonly Toolkit[]): ToolRegistry {
  const tools = new Map<string, RegisteredTool>();
  const looks = new Map<string, string>();
  for (const kit of toolkits) {
    for (const tool of kit.tools) {
      const name = toFullName(kit.server, tool.name);
      const other = looks.get(toLookalikeKey(name));
      if (other === name) throw refuse(`Two tools have the name ${name}. Rename one of them.`);
      if (other) throw refuse(`The tools ${other} and ${name} look alike. Rename one of them.`);
      looks.set(toLookalikeKey(name), name);
      tools.set(name, register(kit, tool, name));
    }
  }
  return tools;
}

function register(kit: Toolkit, tool: Tool, name: string): RegisteredTool {
  const { title, description, effect } = tool;
  const inputSchema = toJsonSchema(tool.input, name, 'input');
  const outputSchema = toJsonSchema(tool.output, name, 'output');
  const tier = tool.tier ?? 'session';
  return {
    tool,
    info: { name, title, description, toolkit: kit.name, effect, tier, inputSchema, outputSchema },
    schemaHash: toHash({ name, description, effect, inputSchema }),
    external: false,
  };
}

function toJsonSchema(schema: z.ZodObject, name: string, io: 'input' | 'output'): Record<string, unknown> {
  try {
    const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
    return rest;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw refuse(`The ${io} of ${name} cannot be described to a model: ${why.replace(/\.$/, '')}.`, cause);
  }
}

function refuse(message: string, cause?: unknown): ToolyardError {
  return new ToolyardError('invalid_config', message, { cause });
}

/** What a hurried reader takes a name for. */
function toLookalikeKey(name: string): string {
  return name
    .replace(/[_-]/g, '')
    .replace(/0/g, 'o')
    .replace(/[1i]/g, 'l')
    .replace(/rn/g, 'm')
    .replace(/vv/g, 'w');
}
