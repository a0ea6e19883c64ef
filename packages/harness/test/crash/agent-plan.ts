// What models do while the server is killed under them: a coordinator drafts one agent and waits for it; that one leaves a
// mark that no kill takes back, reports and ends. Whoever goes on after a kill looks first at what is there.
const toolyard = (name: string) => `mcp__toolyard__${name}`;

const draft = {
  call: { tool: toolyard('draft_agent'), input: { role: 'coordinator', prompt: 'work', taskSlug: 'mine' } },
};

export const agentRules = [
  { when: { userIs: 'plan', step: 0 }, reply: [{ text: 'I plan. ' }, draft] },
  {
    when: { userIs: 'plan', results: { tool: toolyard('draft_agent'), isError: false } },
    reply: [{ call: { tool: toolyard('await_agent'), input: { agentId: '{{result.agentId}}' } } }],
  },
  // Nobody knows whether it was drafted.
  {
    when: { userIs: 'plan', results: { tool: toolyard('draft_agent') } },
    reply: [{ call: { tool: toolyard('list_agents'), input: { all: true } } }],
  },
  { when: { userIs: 'plan', results: { tool: toolyard('list_agents'), contains: '[]' } }, reply: [draft] },
  {
    when: { userIs: 'plan', results: { tool: toolyard('list_agents') } },
    reply: [{ call: { tool: toolyard('await_agent'), input: { agentId: '{{result.agents.0.id}}' } } }],
  },
  { when: { userIs: 'plan' }, reply: [{ text: 'Heard: {{results}}' }] },

  {
    when: { userIs: 'work', step: 0 },
    reply: [{ call: { tool: 'mcp__crash__record', input: { note: 'once' } } }],
  },
  {
    when: { userIs: 'work', results: { tool: 'mcp__crash__record' } },
    pace: { initialDelayMs: 100 },
    reply: [
      { call: { tool: toolyard('report_result'), input: { summary: 'It is built.', changes: ['a.ts'] } } },
    ],
  },
  { when: { userIs: 'work' }, pace: { initialDelayMs: 100 }, reply: [{ text: 'Ended.' }] },
];
