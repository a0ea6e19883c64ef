// The tools that the official conformance scenarios want to find, as far as a tool of ours can be one: input and output
// are objects, and what a person is asked is the harness's business.
import { defineTool, defineToolkit, pause, ToolError } from '@toolyard/sdk';
import { z } from 'zod';

const common = { effect: 'read', tier: 'auto', input: z.object({}) } as const;

const simpleText = defineTool({
  ...common,
  name: 'test_simple_text',
  title: 'Simple text',
  description: 'Answers with a text.',
  output: z.object({ text: z.string() }),
  run: async () => ({ text: 'This is a simple text response for testing.' }),
});

const errorHandling = defineTool({
  ...common,
  name: 'test_error_handling',
  title: 'Error handling',
  description: 'Always fails.',
  output: z.object({}),
  run: async () => {
    throw new ToolError('This tool intentionally returns an error for testing');
  },
});

const withProgress = defineTool({
  ...common,
  name: 'test_tool_with_progress',
  title: 'With progress',
  description: 'Reports its progress.',
  output: z.object({ text: z.string() }),
  run: async (_, { progress, signal }) => {
    for (const done of [0, 50, 100]) {
      progress({ done, total: 100 });
      await pause(50, signal);
    }
    return { text: 'done' };
  },
});

/** What a tool of another harness asks its person itself, ours has the harness ask: may this run? */
const asking = [
  'test_elicitation',
  'test_input_required_result_elicitation',
  'test_input_required_result_tampered_state',
  'test_streaming_elicitation',
].map((name) =>
  defineTool({
    ...common,
    name,
    title: 'Asks',
    description: 'Runs once a person has allowed it.',
    tier: 'always',
    input: z.object({ message: z.string().optional() }),
    output: z.object({ text: z.string() }),
    run: async () => ({ text: 'It was allowed.' }),
  }),
);

/** A tool that could log and, like every tool of ours, has nowhere to log to but the server's own log. */
const logging = defineTool({
  ...common,
  name: 'test_logging_tool',
  title: 'Logging',
  description: 'Says nothing on the side.',
  output: z.object({}),
  run: async () => ({}),
});

const address = z
  .object({ street: z.string(), city: z.string() })
  .meta({ id: 'address', $anchor: 'addressDef' });

/** What an author writes into a schema reaches the client as it was written. */
const jsonSchema = defineTool({
  ...common,
  name: 'json_schema_2020_12_tool',
  title: 'JSON Schema 2020-12',
  description: 'Has an input that needs more than the usual keywords.',
  input: z
    .strictObject({
      name: z.string().optional(),
      address: address.optional(),
      contactMethod: z.string().optional(),
      phone: z.string().optional(),
      email: z.string().optional(),
    })
    .meta({
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: { required: ['phone'] },
      else: { required: ['email'] },
    }),
  output: z.object({}),
  run: async () => ({}),
});

export const conformanceToolkit = defineToolkit({
  name: 'conformance',
  tools: [simpleText, errorHandling, withProgress, ...asking, logging, jsonSchema],
});
