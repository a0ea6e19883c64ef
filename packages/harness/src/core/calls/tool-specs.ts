// Tools as an engine's model hears of them. Of one list the same one is made each time, so that an engine can keep what
// it derives from it.
import type { ToolInfo, ToolSpec } from '@toolyard/sdk';

const made = new WeakMap<readonly ToolInfo[], readonly ToolSpec[]>();

export function toToolSpecs(infos: readonly ToolInfo[]): readonly ToolSpec[] {
  const known = made.get(infos);
  if (known) return known;
  const specs = infos.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  made.set(infos, specs);
  return specs;
}
