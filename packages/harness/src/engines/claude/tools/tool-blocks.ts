// The CLI's blocks about tools, as we read them: one name for each tool, the input a call really has, its result.

import { type Fields, fieldsAt, isFields, listAt, textAt } from '../lib/untyped-fields.ts';
import { toCurrentName } from './absent-tools.ts';

export interface NativeResult {
  toolCallId: string;
  text: string;
  isError: boolean;
  /** The call broke off while the model was still writing it; it never existed for the CLI. */
  abandoned?: true;
}

/** The one name of a tool: the CLI's own are `claude:Bash` and so on. */
export function toOurName(tool: string): string {
  return tool.startsWith('mcp__') ? tool : `claude:${toCurrentName(tool)}`;
}

/** Input that is not JSON stays the string it came as, which the CLI wraps in an object of its own. */
export function toInput(input: unknown, json?: string): unknown {
  const unparsed = isFields(input) && input.__unparsedToolInput;
  if (isFields(unparsed)) return json || (textAt(unparsed, 'raw') ?? '');
  if (!json || !isFields(input) || Object.keys(input).length > 0) return input ?? {};
  return parse(json);
}

export function toResults(message: Fields): NativeResult[] {
  const blocks = listAt(fieldsAt(message, 'message'), 'content');
  return blocks.flatMap((block) => {
    const toolCallId = block.type === 'tool_result' ? textAt(block, 'tool_use_id') : undefined;
    return toolCallId ? [{ toolCallId, text: textOf(block), isError: block.is_error === true }] : [];
  });
}

export function toAbandoned(toolCallId: string): NativeResult {
  const text = 'The call was not run: the model’s answer was cut off in the middle of it.';
  return { toolCallId, text, isError: true, abandoned: true };
}

function textOf(block: Fields): string {
  if (typeof block.content === 'string') return block.content;
  return listAt(block, 'content').map(partText).join('\n');
}

function partText(part: Fields): string {
  if (part.type === 'text') return textAt(part, 'text') ?? '';
  if (part.type === 'tool_reference') return textAt(part, 'tool_name') ?? '';
  return `[${textAt(part, 'type') ?? 'unknown'}]`;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
