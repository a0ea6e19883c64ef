// What a person reads names commands; what a model reads names tools. Turns the sentence of a failure from one to the other.

const commands: readonly [command: string, tool: string][] = [
  ['`toolyard agents list --all`', 'list_agents'],
  ['`toolyard tasks list`', 'list_tasks'],
  ['`toolyard sessions list`', 'list_active_sessions'],
  [' with `toolyard trust`', ''],
];

/** All others: no tool does the same. */
const otherCommand = /`(?:toolyard |claude\b|--)[^`]*`/g;

export function toToolTerms(message: string): string {
  const named = commands.reduce((text, [command, tool]) => text.replaceAll(command, tool), message);
  return named.replace(otherCommand, 'a command that only the person can run');
}
