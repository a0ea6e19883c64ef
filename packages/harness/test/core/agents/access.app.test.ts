// HOSTILE A13: a child never gets more than its parent, and a worker sees its own task and nothing else.
import { mkdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { converse } from '../../support/yard.ts';
import { call, draft, openAgentYard, outputOf, outputsOf, type Script, tool } from './stage.ts';

const role = (name: string, rest: object = {}) => ({
  name,
  description: name,
  category: 'coding',
  instructions: '',
  source: 'code' as const,
  file: '',
  tools: { allow: [], deny: [], tiers: {} },
  ...rest,
});

const draftThenAwait =
  (prompt: string, rest: object): Script =>
  (turn) => {
    if (turn.step === 0) return [draft(prompt, rest)];
    const { agentId } = outputOf(turn);
    return turn.step === 1 && agentId ? [call('await_agent', { agentId })] : [{ text: 'ok' }];
  };

describe('A13: what a child gets', () => {
  it('is no tool that its parent lacks, whatever its role allows', async () => {
    const allow = [tool('draft_agent'), tool('await_agent')];
    const yard = await openAgentYard(
      {
        Plan: draftThenAwait('try it', { role: 'wide' }),
        try: ({ step }) =>
          step === 0
            ? [call('create_task', { slug: 'mine' }), call('report_result', { summary: 'x' })]
            : [{ text: 'ok' }],
      },
      {
        roles: [
          role('narrow', { tools: { allow, deny: [], tiers: {} } }),
          role('wide', { category: 'conversational' }),
        ],
      },
    );
    const { sessionId } = await yard.ask('Plan', { role: 'narrow' });
    const [agent] = await yard.agents();
    expect(agent?.rootSessionId).toBe(sessionId);
    const results = [];
    for await (const event of yard.client().sessions.events(agent?.sessionId ?? '')) {
      if (event.type === 'tool_result') results.push(event.data.output);
      if (event.type === 'turn_end') break;
    }
    expect(results).toEqual([
      expect.stringMatching(/^There is no tool mcp__toolyard__create_task/),
      { accepted: true },
    ]);
    expect((await yard.client().tasks.list()).items.map(({ slug }) => slug)).not.toContain('mine');
  });

  it('is the same for who calls a tool in its session, and its report counts', async () => {
    const allow = [tool('draft_agent')];
    const yard = await openAgentYard(
      {
        Plan: ({ step }) => (step === 0 ? [draft('stay', { role: 'wide' })] : [{ text: 'ok' }]),
        stay: () => [{ text: 'Here.' }, { untilAborted: true }],
      },
      {
        roles: [
          role('narrow', { tools: { allow, deny: [], tiers: {} } }),
          role('wide', { category: 'conversational' }),
        ],
      },
    );
    await yard.ask('Plan', { role: 'narrow' });
    const { client } = yard;
    const [{ id, sessionId } = { id: '', sessionId: '' }] = await yard.agents();
    await expect(
      client().tools.call(tool('create_task'), { input: { slug: 'mine' }, sessionId }),
    ).rejects.toMatchObject({
      code: 'unknown_tool',
      message: expect.stringMatching(/^This agent has no tool/),
    });
    const input = { summary: 'By hand.' };
    expect(await client().tools.call(tool('report_result'), { input, sessionId })).toMatchObject({
      isError: false,
      output: { accepted: true },
    });
    await client().agents.kill(id);
    expect(await client().agents.get(id)).toMatchObject({ result: { summary: 'By hand.', reported: true } });
  });

  it('is no laxer mode, no larger budget and no directory outside', async () => {
    const yard = await openAgentYard(
      {
        Plan: ({ step, text }) => {
          const [, cwd = '.'] = text.split(' ');
          return step === 0 ? [draft('stay', { role: 'lax', budgetUsd: 1_000_000, cwd })] : [{ text: 'ok' }];
        },
        stay: () => [{ text: 'ok' }],
      },
      {
        overlay: {
          limits: { budgetUsd: 2 },
          toolApproval: { perTool: { mcp__toolyard__draft_agent: 'auto' } },
        },
        roles: [role('lax', { mode: 'bypassPermissions' })],
      },
    );
    await yard.ask('Plan');
    const [agent] = await yard.agents();
    expect(agent).toMatchObject({ budgetUsd: 2 });
    expect(await yard.client().sessions.get(agent?.sessionId ?? '')).toMatchObject({
      mode: 'default',
      depth: 1,
    });
    await mkdir(join(yard.work, 'inside'));
    await symlink(tmpdir(), join(yard.work, 'link'));
    for (const cwd of ['..', '/', 'link', 'inside/../..']) {
      const { events } = await yard.ask(`Plan ${cwd}`);
      expect(outputsOf(events)).toEqual([expect.stringContaining('outside the workspace')]);
    }
    const { events } = await yard.ask('Plan inside');
    expect(outputsOf(events)).toMatchObject([{ role: 'lax' }]);
  });
});

describe('a worker', () => {
  it('sees its own task and those beside it, and nothing of others', async () => {
    const yard = await openAgentYard({
      Plan: draftThenAwait('look', { taskSlug: 'mine' }),
      look: ({ step }) =>
        step === 0
          ? [
              call('list_tasks'),
              call('list_agents'),
              call('get_task_context', { taskSlug: 'other' }),
              call('draft_agent', { role: 'developer', prompt: 'x' }),
            ]
          : [{ text: 'ok' }],
      Other: ({ step }) => (step === 0 ? [draft('stay', { taskSlug: 'other' })] : [{ text: 'ok' }]),
      stay: () => [{ untilAborted: true }],
    });
    for (const slug of ['mine', 'other']) await yard.client().tasks.create({ slug });
    await yard.ask('Other');
    await yard.ask('Plan');
    const [agent] = await yard.agents();
    const events = [];
    for await (const event of yard.client().sessions.events(agent?.sessionId ?? '')) {
      events.push(event);
      if (event.type === 'turn_end') break;
    }
    expect(outputsOf(events)).toMatchObject([
      { tasks: [{ slug: 'mine' }] },
      { agents: [{ id: agent?.id }] },
      expect.stringMatching(/^task_not_found: /),
      expect.stringMatching(/^There is no tool mcp__toolyard__draft_agent/),
    ]);
  });

  it('report_result is not there for who was not drafted', async () => {
    const yard = await openAgentYard({
      Say: ({ step }) => (step === 0 ? [call('report_result', { summary: 'x' })] : [{ text: 'ok' }]),
    });
    const session = await yard.client().sessions.create({ role: 'coordinator' });
    expect(outputsOf(await converse(yard, session.id, 'Say'))).toEqual([
      expect.stringContaining('There is no tool'),
    ]);
  });
});
