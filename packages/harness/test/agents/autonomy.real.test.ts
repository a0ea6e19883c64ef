// A plan of five steps with two branches side by side, a failure and a second try, run by a coordinator alone: its person
// answers two approvals, both where they look, in the log of the session they have opened.
import type { Approval } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { engines, openEngineYard, setEngineStage } from './engine-yard.ts';

setEngineStage();

const builder = `---
name: builder
description: Builds a part of a house
category: coding
tools: { allow: [mcp__toolyard__ping] }
---
You build.
`;

it.each(engines)(
  'a coordinator runs a whole plan with %s, and its person answers twice at the root',
  async (engine) => {
    const { ask, agents, client } = await openEngineYard({ scenario: './autonomy.yaml', roles: { builder } });
    const asked: Approval[] = [];
    const person = {
      approve(approval: Approval) {
        asked.push(approval);
        return { decision: 'allow', scope: 'session' } as const;
      },
    };
    await client.tasks.create({ slug: 'house', description: 'Build a house' });
    const told = await ask('run the plan', { engine, mode: 'default', taskSlug: 'house', person });
    const all = await agents();
    const ended = all.map(({ prompt, status }) => `${prompt}: ${status}`);
    expect([told.outcome, ended[0], ended.slice(1, 3).sort(), ...ended.slice(3)]).toEqual([
      'completed',
      'do the ground: done',
      ['do the roof and ping: done', 'do the walls in the rain: failed'],
      'do the walls: done',
      expect.stringMatching(/^do the doors\. So far: Did the walls.*: done$/),
      'do the inspection: done',
    ]);
    const started = (prompt: string) => all.find((agent) => agent.prompt === prompt);
    const roof = started('do the roof and ping');
    expect(started('do the walls in the rain')?.error?.message).toContain('it rains');
    expect(roof?.result?.summary).toContain('pong');
    expect(told.text).toMatch(/I try again: .*it rains[\s\S]*The house stands\.[\s\S]*Did the roof/);
    const { sessionId } = told;
    expect(asked).toMatchObject([
      { tool: 'mcp__toolyard__draft_agent', sessionId, rootSessionId: sessionId, lineage: { depth: 0 } },
      {
        tool: 'mcp__toolyard__ping',
        sessionId: roof?.sessionId,
        rootSessionId: sessionId,
        lineage: { depth: 1, rootSessionId: sessionId },
      },
    ]);
    expect((await client.approvals.list({ limit: 100 })).items).toHaveLength(2);
  },
);
