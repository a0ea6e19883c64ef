// What a call reaches: a host tool, which the toolbox runs, or an engine's own, which only its engine can run. Both are
// found, parsed and judged alike.
import type { Effect, NativeTool, Tier, Tool, TouchedPath } from '@toolyard/sdk';
import { z } from 'zod';
import { toCanonical, toHash } from '../lib/canonical.ts';
import type { RegisteredTool } from './tool-registry.ts';

export interface Target {
  name: string;
  effect: Effect;
  external: boolean;
  tier: Tier | undefined;
  /** Changes when what a person approved would no longer be what runs. */
  schemaHash: string;
  /** The handler; absent for an engine's own tool. */
  tool?: Tool;
  parse(input: unknown): { input: unknown } | { invalid: string };
  /** The tool's own idea of "the same call". */
  ownKey(input: unknown): string | undefined;
  /** The files that a call touches. */
  paths(input: unknown): TouchedPath[];
}

export function toHostTarget({ tool, info, schemaHash, external }: RegisteredTool): Target {
  const { name, effect } = info;
  return {
    name,
    effect,
    external,
    schemaHash,
    tool,
    tier: tool.tier,
    parse(input) {
      const parsed = tool.input.safeParse(input);
      return parsed.success ? { input: parsed.data } : { invalid: z.prettifyError(parsed.error) };
    },
    ownKey: (input) => strictly(name, input, () => tool.grantKey?.(input)),
    paths: () => [],
  };
}

export function toNativeTarget(native: NativeTool): Target {
  const { name, effect, tier } = native;
  return {
    name,
    effect,
    tier,
    external: false,
    schemaHash: toHash({ name, effect }),
    parse: (input) =>
      typeof input === 'object' && input !== null && !Array.isArray(input)
        ? { input }
        : { invalid: 'the input must be an object' },
    ownKey: (input) => strictly(name, input, () => native.grantKey?.(input)),
    paths: (input) => native.paths?.(input) ?? [],
  };
}

/** A tool that cannot say what "the same call" is gets the strictest meaning: the whole input. */
function strictly(name: string, input: unknown, key: () => string | undefined): string | undefined {
  try {
    return key();
  } catch {
    return `${name} ${toCanonical(input)}`;
  }
}
