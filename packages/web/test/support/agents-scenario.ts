// What a coordinator and those it drafts do in the tests of the page, at the price of a real model.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerWishes } from './server.ts';

const toolyard = (name: string, input: object = {}) => ({ call: { tool: `mcp__toolyard__${name}`, input } });
const draft = (role: string, prompt: string, rest: object = {}) =>
  toolyard('draft_agent', { role, prompt, ...rest });
const awaitFirst = toolyard('await_agent', { agentId: '{{results.0.agentId}}' });
const awaitSecond = toolyard('await_agent', { agentId: '{{results.1.agentId}}' });
const say = (text: string) => [{ text }];

/** One drafts another, awaits it and says what it heard. */
const handOn = (words: string, role: string, prompt: string) => [
  { when: { user: words, step: 0 }, reply: [draft(role, prompt)] },
  { when: { user: words, step: 1 }, reply: [awaitFirst] },
  { when: { user: words }, reply: say('It is back: {{result.status}}') },
];

const scenario = {
  rules: [
    { when: { results: { tool: 'mcp__toolyard__report_result' } }, reply: say('Reported.') },
    { when: { results: { tool: 'mcp__desk__pay' } }, reply: say('Paid {{result.paid}}.') },

    {
      when: { user: 'two branches', step: 0 },
      reply: [
        draft('developer', 'build the form', { budgetUsd: 0.5 }),
        draft('coordinator', 'lead the payment', { budgetUsd: 2 }),
      ],
    },
    { when: { user: 'two branches', step: 1 }, reply: [awaitFirst, awaitSecond] },
    { when: { user: 'two branches' }, reply: say('Both branches have ended.') },
    ...handOn('lead the payment', 'developer', 'work for an hour'),

    ...handOn('go deeper', 'coordinator', 'pass deeper'),
    ...handOn('pass deeper', 'coordinator', 'dig on'),
    { when: { user: 'dig on', step: 0 }, reply: [draft('developer', 'build the form')] },
    { when: { user: 'dig on' }, reply: say('I heard: {{results}}') },

    ...handOn('pay from below', 'coordinator', 'pass it on'),
    ...handOn('pass it on', 'assistant', 'pay ada'),
    {
      when: { user: 'pay ada' },
      reply: [{ call: { tool: 'mcp__desk__pay', input: { to: 'ada', note: 'tea' } } }],
    },

    { when: { user: 'work for an hour' }, pace: { initialDelayMs: 600_000 }, reply: say('Done at last.') },
    {
      when: { user: 'build the form' },
      pace: { initialDelayMs: 300 },
      reply: [
        { text: 'All work and no play. ', repeat: 100 },
        toolyard('report_result', {
          summary: 'The form takes a name and a card.',
          changes: ['form.ts: new'],
          issues: ['An address abroad is not checked'],
          questions: ['Which currencies?'],
        }),
      ],
    },
    { reply: say('You said: {{user}}') },
  ],
};

/** Whoever a person drafts works with the engine that the script speaks to. */
const config = { defaults: { engine: 'native' }, limits: { maxDepth: 2, onLimit: 'ask' } };
const fill = (home: string) => writeFile(join(home, 'config.yaml'), JSON.stringify(config));

export const agentsServer: ServerWishes = { scenario, priced: true, fill };
