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
};

export const scenario = {
  rules: [
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
