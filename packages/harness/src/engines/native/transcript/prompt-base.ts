// What all steps of a turn stand on. The same for most turns, so it is computed once for each list of tools.
import type { ToolSpec } from '@toolyard/sdk';
import type { ModelTools } from '../models/provider.ts';
import { toPromptFingerprint } from './prompt-fingerprint.ts';
import { toBase } from './token-estimate.ts';

export interface PromptBase {
  tools: ModelTools;
  fingerprint: string;
  /** Tokens of instructions and tools. */
  base: number;
}

interface CachedBase extends PromptBase {
  model: string;
  instructions: string;
}

const cache = new WeakMap<readonly ToolSpec[], CachedBase>();

export function toPromptBase(model: string, instructions: string, specs: readonly ToolSpec[]): PromptBase {
  const known = cache.get(specs);
  if (known?.model === model && known.instructions === instructions) return known;
  const tools = toModelTools(specs);
  const fingerprint = toPromptFingerprint(model, instructions, tools);
  const made = { model, instructions, tools, fingerprint, base: toBase(instructions, tools) };
  cache.set(specs, made);
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
