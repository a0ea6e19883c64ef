// The tools a request offers. Claude Code leaves many of them out of the list, names them in a system message and
// takes calls to them all the same, so a script counts them as offered.
import type { Message } from './message.ts';
import type { CheckedRequest } from './messages-request.ts';

/** The tool by which the others are found. */
const searchTool = 'ToolSearch';
const toolLine = /^[a-zA-Z0-9_-]{1,128}$/;

export function offeredTools({ tools = [], messages }: CheckedRequest['request']): string[] {
  const listed = tools.map((tool) => tool.name);
  if (!listed.includes(searchTool)) return listed;
  const deferred = messages.filter(({ role }) => role === 'system').flatMap(namesIn);
  return [...new Set([...listed, ...deferred])];
}

/** Names stand one on a line, after a line that ends in a colon and speaks of the search tool. */
function namesIn(message: Message): string[] {
  const names: string[] = [];
  let isInList = false;
  for (const line of textOf(message).split('\n')) {
    if (isInList && toolLine.test(line)) names.push(line);
    else isInList = line.includes(searchTool) && line.endsWith(':');
  }
  return names;
}

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (typeof block.text === 'string' ? block.text : '')).join('\n');
}
