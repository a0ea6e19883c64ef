// Which models Claude Code can drive: Anthropic's, by their full name or as it knows them itself.
import { ToolyardError } from '@toolyard/sdk';

/** A name without a provider is the CLI's to understand. */
export function isClaudeModel(model: string): boolean {
  return model.startsWith('anthropic/') || !/^[a-z][a-z0-9-]{0,31}\//.test(model);
}

export function checkClaudeModel(model: string): void {
  if (isClaudeModel(model)) return;
  const message = `The engine claude runs Anthropic models only, not "${model.slice(0, 100)}". Use the engine native for it, or choose another model.`;
  throw new ToolyardError('unknown_model', message);
}
