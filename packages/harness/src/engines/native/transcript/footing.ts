// What all steps of a turn stand on. The same for most turns, so it is computed once for each list of tools.
import type { ToolSpec } from '@toolyard/sdk';
import type { ModelTools } from '../models/provider.ts';
import { toGround } from './ground.ts';
import { toBase } from './size.ts';

export interface Footing {
  tools: ModelTools;
  ground: string;
  /** Tokens of instructions and tools. */
  base: number;
}

interface Kept extends Footing {
  model: string;
  instructions: string;
}

const kept = new WeakMap<readonly ToolSpec[], Kept>();

export function toFooting(model: string, instructions: string, specs: readonly ToolSpec[]): Footing {
  const known = kept.get(specs);
  if (known?.model === model && known.instructions === instructions) return known;
  const tools = toModelTools(specs);
  const ground = toGround(model, instructions, tools);
  const made = { model, instructions, tools, ground, base: toBase(instructions, tools) };
  kept.set(specs, made);
  return made;
}

export function toModelTools(specs: readonly ToolSpec[]): ModelTools {
  return specs.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    inputSchema,
  }));
}
