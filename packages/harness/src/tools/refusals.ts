// How a refusal of core reaches a model: its code first, then the sentence that says what to do, in terms of tools.
import { ToolError, ToolyardError } from '@toolyard/sdk';

/** For `.catch`: what core refused is told; anything else stays an accident. */
export function refuse(thrown: unknown): never {
  if (thrown instanceof ToolyardError)
    throw new ToolError(`${thrown.code}: ${toToolTerms(thrown.message)}`, { cause: thrown });
  throw thrown;
}

/** Core names the commands that a person can run. A model has tools instead. */
const commands: readonly [command: string, tool: string][] = [
  ['`toolyard agents list --all`', 'list_agents'],
  ['`toolyard tasks list`', 'list_tasks'],
  ['`toolyard sessions list`', 'list_active_sessions'],
  [' with `toolyard trust`', ''],
];

export function toToolTerms(message: string): string {
  return commands.reduce((text, [command, tool]) => text.replaceAll(command, tool), message);
}
