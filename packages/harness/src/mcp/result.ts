// The outcome of a call as an MCP client gets it: the text first, the structured output beside it.
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ToolOutcome } from '@toolyard/sdk';

/** Stands in the place of a structured output that was cut or withheld. */
export const onlyText = 'onlyText';

export function toResult({ text, output, outputId, isError }: ToolOutcome): CallToolResult {
  const content = [{ type: 'text' as const, text }];
  if (isError) return { content, isError: true };
  return {
    content,
    structuredContent: isRecord(output) ? output : { [onlyText]: outputId ? { outputId } : {} },
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
