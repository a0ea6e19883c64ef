// A13 with the real CLI: a child whose role wants more than its parent has is started without it. Its commands ask, though
// its role would have them run, and a tool that its parent lacks, by its role or by the rules of its workspace, is not in
// the CLI at all.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Approval } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { makeFolder, writeFiles } from '../support/workspace.ts';
import { openEngineYard, setEngineStage } from './engine-yard.ts';

setEngineStage();

const roles = {
  lead: `---
name: lead
description: Leads, and writes nothing
category: conversational
tools: { deny: ["claude:Write", "claude:Edit", "mcp__toolyard__create_task"] }
---
You lead.
`,
  lax: `---
name: lax
description: Wants all
category: conversational
mode: bypassPermissions
tools: { allow: ["claude:Write", "claude:Bash", "mcp__toolyard__create_task"] }
limits: { budgetUsd: 1000, maxChildren: 100, maxDepth: 9 }
---
You want all.
`,
};

const tools = [
  ...['Bash', 'Write', 'Edit', 'mcp__toolyard__create_task', 'mcp__toolyard__close_task'],
  'mcp__toolyard__get_session_count',
];
const report = {
  tool: 'mcp__toolyard__report_result',
  input: { summary: 'I have: {{tools}}. I heard: {{results}}' },
};
const rulesIn = (cwd: string) => [
  {
    when: { userIs: 'plan', step: 0 },
    reply: [
      {
        call: {
          tool: 'mcp__toolyard__draft_agent',
          input: { role: 'lax', prompt: 'grab', budgetUsd: 999, cwd },
        },
      },
    ],
  },
  {
    when: { userIs: 'plan', step: 1 },
    reply: [{ call: { tool: 'mcp__toolyard__await_agent', input: { agentId: '{{result.agentId}}' } } }],
  },
  {
    when: { userIs: 'grab', step: 0 },
    reply: [
      { call: { tool: 'Bash', input: { command: 'touch ran.txt' } } },
      { call: { tool: 'Write', input: { file_path: 'wrote.txt', content: 'x' } } },
    ],
  },
  { when: { userIs: 'grab', step: 1 }, reply: [{ call: report }] },
  { reply: [{ text: 'Done.' }] },
];

it('A13: a child has neither the tools nor the mode nor the money that its parent lacks', async () => {
  // The child works where no file says anything.
  const cwd = makeFolder();
  const config = { limits: { budgetUsd: 3 }, workspace: { roots: [cwd] } };
  const yard = await openEngineYard({ scenario: rulesIn(cwd), roles, config });
  writeFiles(yard.work, { 'toolyard.yaml': 'toolkits: { sessions: false }\n' });
  const asked: string[] = [];
  const approve = ({ tool }: Approval) => {
    asked.push(tool);
    return { decision: tool === 'claude:Bash' ? 'deny' : 'allow' } as const;
  };
  const wanted = { engine: 'claude', role: 'lead', mode: 'default', person: { approve } } as const;
  const { outcome } = await yard.ask('plan', wanted);
  const [agent] = await yard.agents();
  const [, offered = ''] = /I have: ([^.]*)\./.exec(agent?.result?.summary ?? '') ?? [];
  expect([outcome, agent?.status, asked]).toEqual([
    ...['completed', 'done', ['mcp__toolyard__draft_agent', 'claude:Bash']],
  ]);
  expect(tools.filter((name) => offered.split(', ').includes(name))).toEqual([
    ...['Bash', 'mcp__toolyard__close_task'],
  ]);
  expect(agent?.budgetUsd).toBeLessThanOrEqual(3);
  expect(['ran.txt', 'wrote.txt'].filter((name) => existsSync(join(cwd, name)))).toEqual([]);
});
