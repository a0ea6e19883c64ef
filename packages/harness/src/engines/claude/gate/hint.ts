// A section of the instructions that names the host tools this session has, so that the model calls them by full name.
import type { ToolSpec } from '@toolyard/sdk';

const longestLine = 160;

export function hintFor(tools: readonly ToolSpec[]): string {
  if (tools.length === 0) return '';
  const lines = tools.map(({ name, description }) => `- ${name}: ${toLine(description)}`);
  return ['# Tools of Toolyard', 'Call them by their full names.', ...lines].join('\n');
}

function toLine(description: string): string {
  const [first = ''] = description.split('\n');
  return first.length > longestLine ? `${first.slice(0, longestLine - 1)}…` : first;
}
