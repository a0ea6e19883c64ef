// What the scripted model says in the pictures. Pure data.

const call = (tool: string, input: unknown) => ({ call: { tool: `mcp__project__${tool}`, input } });

const found = `The price client never times out. \`fetchPrice\` waits for as long as the shop's server likes, and every order
waits behind it:

\`\`\`ts
const response = await fetch(\`\${base}/prices/\${item}\`, {
  signal: AbortSignal.timeout(5_000),
});
\`\`\`

| where | waits today | with the change |
|---|---|---|
| \`src/prices.ts\` | for ever | 5 s |
| \`src/orders.ts\` | behind the price | fails with a reason |

I would change the one call, then run the tests.`;

const change = {
  path: 'src/prices.ts',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
  old: '  const response = await fetch(`${base}/prices/${item}`);',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
  new: '  const signal = AbortSignal.timeout(5_000);\n  const response = await fetch(`${base}/prices/${item}`, { signal });',
};

export const questions = {
  find: 'Orders hang when the shop is slow. Find out why.',
  fix: 'Please fix it.',
  test: 'Run the tests of the price client.',
  fail: 'Deploy it to staging.',
  plan: 'Plan and do the checkout.',
};

const toolyard = (name: string, input: object) => ({ call: { tool: `mcp__toolyard__${name}`, input } });
const report = {
  summary: 'The form takes a name, an address and a card, and checks each before it is sent.',
  changes: ['checkout/form.ts: new, with a test'],
  issues: ['An address abroad is not checked yet'],
};

/** A coordinator with two branches: one reports, the other works and asks. */
const checkout = [
  { when: { results: { tool: 'mcp__toolyard__report_result' } }, reply: [{ text: 'Reported.' }] },
  {
    when: { user: 'plan and do', step: 0 },
    reply: [
      { text: 'Two pieces do not depend on each other: the form and the payment. I hand both on.' },
      toolyard('draft_agent', { role: 'developer', prompt: 'Build the form', budgetUsd: 1 }),
      toolyard('draft_agent', { role: 'coordinator', prompt: 'Lead the payment', budgetUsd: 3 }),
    ],
  },
  {
    when: { user: 'plan and do', step: 1 },
    reply: [
      toolyard('await_agent', { agentId: '{{results.0.agentId}}' }),
      toolyard('await_agent', { agentId: '{{results.1.agentId}}' }),
    ],
  },
  {
    when: { user: 'lead the payment', step: 0 },
    reply: [
      toolyard('draft_agent', { role: 'assistant', prompt: 'Check the payment client', budgetUsd: 1 }),
      toolyard('draft_agent', { role: 'researcher', prompt: 'Compare the providers’ fees', budgetUsd: 0.5 }),
    ],
  },
  {
    when: { user: 'lead the payment' },
    reply: [toolyard('await_agent', { agentId: '{{results.0.agentId}}' })],
  },
  {
    when: { user: 'check the payment client', step: 0 },
    reply: [call('run_command', { command: 'npm test -- test/payment.test.ts', because: 'it is new' })],
  },
  { when: { user: 'build the form', step: 0 }, reply: [toolyard('report_result', report)] },
  {
    when: { user: 'compare the providers' },
    pace: { initialDelayMs: 600_000 },
    reply: [{ text: 'Compared.' }],
  },
];

export const scenario = {
  rules: [
    ...checkout,
    {
      when: { step: { min: 1 }, results: { tool: 'mcp__project__search_files' } },
      reply: [{ text: found }],
    },
    { when: { step: { min: 1 } }, reply: [{ text: 'Done: 31 tests pass.' }] },
    { when: { user: 'please fix it' }, reply: [{ text: 'One call changes.' }, call('edit_file', change)] },
    {
      when: { user: 'run the tests' },
      reply: [
        call('run_command', { command: 'npm test -- test/prices.test.ts', because: 'the client changed' }),
      ],
    },
    { when: { user: 'deploy' }, fail: { status: 529, message: 'Overloaded' } },
    {
      when: { user: 'orders hang' },
      reply: [
        { thinking: 'An order asks for its price first. I look at the client, and at who waits for it.' },
        { text: 'I look at the price client and at who uses it.' },
        call('read_file', { path: 'src/prices.ts' }),
        call('search_files', { words: 'fetchPrice' }),
      ],
    },
    { reply: [{ text: 'You said: {{user}}' }] },
  ],
};
