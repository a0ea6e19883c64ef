// A tool as an MCP client sees it. What is derived from a tool is kept beside it, so a new server instance costs nothing.
import type { Tool } from '@modelcontextprotocol/server';
import type { ToolInfo } from '@toolyard/sdk';
import { toListedName } from './names.ts';
import { onlyText } from './result.ts';

/** What our schemas are written in; some clients assume an older one unless told. */
const dialect = 'https://json-schema.org/draft/2020-12/schema';

const toolsByInfo = new WeakMap<ToolInfo, Tool>();

export function toMcpTool(info: ToolInfo): Tool {
  const known = toolsByInfo.get(info);
  if (known) return known;
  const { title, description, effect } = info;
  const tool: Tool = {
    name: toListedName(info.name),
    title,
    description,
    inputSchema: { $schema: dialect, ...info.inputSchema, type: 'object' },
    outputSchema: toMcpOutputSchema(info.outputSchema),
    annotations: { title, readOnlyHint: effect === 'read' },
  };
  toolsByInfo.set(info, tool);
  return tool;
}

/** The tool's own schema, or the note that only the text holds the result: every answer fits what was promised. */
function toMcpOutputSchema(schema: Record<string, unknown>): Tool['outputSchema'] {
  const { required, properties, ...rest } = schema;
  return {
    ...rest,
    type: 'object',
    properties: { ...toRecord(properties), [onlyText]: noteSchema },
    anyOf: [{ required: Array.isArray(required) ? required : [] }, { required: [onlyText] }],
  };
}

const noteSchema = {
  type: 'object',
  description:
    'Present instead of the other fields when the output is too long; the text says how much was cut.',
  properties: { outputId: { type: 'string', description: 'For read_output' } },
};

function toRecord(value: unknown): Record<string, object> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
