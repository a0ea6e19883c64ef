// A13, C3, C5: bad and greedy words about agents and tasks. Each is refused with the same code by the tool, over HTTP and
// at the command line, and leaves nothing behind.
import { type Client, createClient, ToolyardError } from '@toolyard/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAgentCommands } from '../cli/agents/agent-stage.ts';
import type { CommandYard } from '../cli/in-process.ts';
import { call, draft as draftOf, openAgentYard, outputsOf } from '../core/agents/stage.ts';

const megabyte = 1024 * 1024;
const unknown = `agt_${'0'.repeat(22)}`;
const slugs = ['../x', '..', '.', 'a/b', '', 'x'.repeat(300), '🌱', 'a b', 'UPPER', 'a\0b', '-x'];

let commandYard: CommandYard;
let client: Client;
let sessionId = '';
beforeAll(async () => {
  commandYard = await openAgentCommands();
  client = commandYard.yard.client();
  ({ id: sessionId } = await client.sessions.create({ role: 'coordinator', mode: 'bypassPermissions' }));
  await client.tasks.create({ slug: 'open' });
  await client.tasks.create({ slug: 'over' });
  await client.tasks.close('over');
});
afterAll(() => commandYard.close());

/** The code of a refusal; what was not refused is told. */
async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    (value) => `not refused: ${JSON.stringify(value)}`,
    (thrown: unknown) => (thrown instanceof ToolyardError ? thrown.code : String(thrown)),
  );
}

/** As a model hears it: a code before a colon, or that its input does not fit. */
async function byTool(name: string, input: Record<string, unknown>): Promise<string> {
  const { text, isError } = await client.tools.call(`mcp__toolyard__${name}`, { input, sessionId });
  if (!isError) return `not refused: ${text}`;
  return /^(\w+): /.exec(text)?.[1] ?? (/input/i.test(text) ? 'invalid_request' : text);
}

async function byCommand(...words: string[]): Promise<string> {
  const { code, stderr, stdout } = await commandYard.run(...words, '--json');
  return code === 0 ? `not refused: ${stdout}` : JSON.parse(stderr).error.code;
}

async function agentCount(): Promise<number> {
  return (await client.agents.list({ all: true, limit: 500 })).items.length;
}

const draft = { role: 'assistant', prompt: 'say x' };
/** What is wanted, and the words for it at the command line, if it can be said there. */
const drafts: [string, Record<string, unknown>, string[] | undefined, string][] = [
  ['an unknown role', { ...draft, role: 'nobody' }, ['--role', 'nobody', 'x'], 'unknown_role'],
  [
    'an unknown task',
    { ...draft, taskSlug: 'nope' },
    ['--role', 'assistant', '--task', 'nope', 'x'],
    'task_not_found',
  ],
  [
    'a closed task',
    { ...draft, taskSlug: 'over' },
    ['--role', 'assistant', '--task', 'over', 'x'],
    'task_closed',
  ],
  ['an empty prompt', { ...draft, prompt: '' }, undefined, 'invalid_request'],
  ['a blank prompt', { ...draft, prompt: ' \n\t' }, undefined, 'invalid_request'],
  ['a prompt of 3 MB', { ...draft, prompt: 'x'.repeat(3 * megabyte) }, undefined, 'invalid_request'],
  ['a negative budget', { ...draft, budgetUsd: -1 }, undefined, 'invalid_request'],
  ['a budget of nothing', { ...draft, budgetUsd: 0 }, undefined, 'invalid_request'],
  ['a huge budget', { ...draft, budgetUsd: 1e12 }, undefined, 'invalid_request'],
  ['a budget that is no number', { ...draft, budgetUsd: 'much' }, undefined, 'invalid_request'],
  [
    'a directory that is not there',
    { ...draft, cwd: 'nowhere' },
    ['--role', 'assistant', '--cwd', 'nowhere', 'x'],
    'invalid_request',
  ],
  ['a directory with a NUL', { ...draft, cwd: 'a\0b' }, undefined, 'invalid_request'],
  ['a mode', { ...draft, mode: 'bypassPermissions' }, undefined, 'invalid_request'],
  ['tools', { ...draft, tools: { allow: ['*'] } }, undefined, 'invalid_request'],
  ['an unknown isolation', { ...draft, isolation: 'none at all' }, undefined, 'invalid_request'],
  ...slugs.map((slug): [string, Record<string, unknown>, undefined, string] => [
    `the role ${JSON.stringify(slug.slice(0, 20))}`,
    { ...draft, role: slug },
    undefined,
    'invalid_request',
  ]),
  ...slugs.map((slug): [string, Record<string, unknown>, undefined, string] => [
    `the task ${JSON.stringify(slug.slice(0, 20))}`,
    { ...draft, taskSlug: slug },
    undefined,
    'invalid_request',
  ]),
];

describe('A13, C5: a draft', () => {
  it.each(drafts)('with %s is refused alike by every door', async (_, wanted, words, code) => {
    const before = await agentCount();
    // What the types forbid is what is tried here.
    const asTyped = wanted as { role: string; prompt: string };
    const [tool, http, command] = [
      await byTool('draft_agent', wanted),
      await codeOf(client.agents.draft(asTyped)),
      words ? await byCommand('agents', 'draft', ...words) : code,
    ];
    expect({ tool, http, command, made: (await agentCount()) - before }).toEqual({
      tool: code,
      http: code,
      command: code,
      made: 0,
    });
  });

  it('with a prompt of 10 MB is refused to a model and over HTTP', async () => {
    const prompt = 'x'.repeat(10 * megabyte);
    expect(await codeOf(client.agents.draft({ ...draft, prompt }))).toBe('payload_too_large');
    const yard = await openAgentYard({
      Plan: ({ step }) => (step === 0 ? [draftOf(prompt)] : [{ text: 'ok' }]),
    });
    const { events } = await yard.ask('Plan');
    expect(outputsOf(events)).toEqual([expect.stringMatching(/Too big[\s\S]*at prompt/)]);
    expect(await yard.agents()).toEqual([]);
  });

  it('C3: with __proto__ in it is refused and pollutes nothing', async () => {
    const wanted = JSON.parse('{"role":"assistant","prompt":"say x","__proto__":{"polluted":true}}');
    expect(await codeOf(byTool('draft_agent', wanted))).toBe('invalid_json');
    expect(await codeOf(client.agents.draft(wanted))).toBe('invalid_json');
    const yard = await openAgentYard({
      Plan: ({ step }) => (step === 0 ? [call('draft_agent', wanted)] : [{ text: 'ok' }]),
    });
    await yard.ask('Plan');
    expect([Object.hasOwn(Object.prototype, 'polluted'), await yard.agents()]).toEqual([false, []]);
  });
});

describe('awaiting and killing', () => {
  it('an unknown agent is refused alike by every door', async () => {
    const codes = [
      await byTool('await_agent', { agentId: unknown }),
      await byTool('await_any_agent', { agentIds: [unknown] }),
      await byTool('kill_agent', { agentId: unknown }),
      await codeOf(client.agents.await(unknown)),
      await codeOf(client.agents.kill(unknown)),
      await codeOf(client.agents.get(unknown)),
      await byCommand('agents', 'await', unknown),
      await byCommand('agents', 'kill', unknown),
    ];
    expect(new Set(codes)).toEqual(new Set(['agent_not_found']));
  });

  it.each(['../x', '', 'agt_', `agt_${'Z'.repeat(22)}`, `${unknown}0`, '🌱'])(
    'what is no id (%j) is refused by its form',
    async (agentId) => {
      expect([
        await byTool('await_agent', { agentId }),
        await byTool('kill_agent', { agentId }),
        await codeOf(client.agents.kill(agentId)),
      ]).toEqual(['invalid_request', 'invalid_request', expect.stringMatching(/not_found|invalid_request/)]);
    },
  );

  it.each([-1, 1e9, Number.NaN, '5'])('a time of %s to wait is refused', async (timeoutSeconds) => {
    expect(await byTool('await_agent', { agentId: unknown, timeoutSeconds })).toBe('invalid_request');
  });

  it('one that has ended answers the same each time, and a kill says that it had ended', async () => {
    const { id } = await client.agents.draft({ ...draft, sessionId });
    const first = await client.agents.await(id);
    expect(first).toMatchObject({ status: 'done', result: { summary: 'x', reported: false } });
    const tool = await client.tools.call('mcp__toolyard__await_agent', { input: { agentId: id }, sessionId });
    expect([tool.output, await client.agents.await(id)]).toEqual([first, first]);
    const gone = { success: false, message: 'The agent had already ended: done.', killed: [] };
    const killed = await client.tools.call('mcp__toolyard__kill_agent', {
      input: { agentId: id },
      sessionId,
    });
    expect([killed.output, await client.agents.kill(id)]).toEqual([gone, gone]);
  });

  it('a stranger’s agent is refused to an agent, and not to a person', async () => {
    const { id } = await client.agents.draft({ ...draft, prompt: 'hang' });
    expect([
      await byTool('await_agent', { agentId: id, timeoutSeconds: 0 }),
      await byTool('kill_agent', { agentId: id }),
      await byTool('await_any_agent', { agentIds: [id] }),
    ]).toEqual(['not_your_agent', 'not_your_agent', 'not_your_agent']);
    expect(await client.agents.kill(id)).toMatchObject({ success: true, killed: [id] });
  });

  it('the token of an agent has none of it by HTTP', async () => {
    const { secret: token } = await client.tokens.create({
      name: 'mine',
      kind: 'agent',
      role: 'coordinator',
    });
    const { fetch } = commandYard.yard;
    const other = createClient({ baseUrl: 'http://127.0.0.1', token, fetch });
    expect([
      await codeOf(other.agents.draft(draft)),
      await codeOf(other.agents.list()),
      await codeOf(other.agents.kill(unknown)),
      await codeOf(other.tasks.create({ slug: 'theirs' })),
    ]).toEqual(['person_only', 'person_only', 'person_only', 'person_only']);
  });
});

describe('tasks', () => {
  it.each(slugs)('C5: the slug %j makes none, by any door', async (slug) => {
    expect([
      await byTool('create_task', { slug }),
      await codeOf(client.tasks.create({ slug })),
      await byTool('get_task_context', { taskSlug: slug }),
    ]).toEqual(['invalid_request', 'invalid_request', 'invalid_request']);
  });

  it('one that is worked on is not closed, by any door, and is closed when the work has ended', async () => {
    const { id } = await client.agents.draft({ ...draft, prompt: 'hang', taskSlug: 'open' });
    expect([
      await byTool('close_task', { taskSlug: 'open' }),
      await codeOf(client.tasks.close('open')),
      await byCommand('tasks', 'close', 'open'),
    ]).toEqual(['task_busy', 'task_busy', 'task_busy']);
    await client.agents.kill(id);
    expect(await client.tasks.close('open')).toMatchObject({ status: 'closed' });
  });

  it('P6: two agents that report at the same moment have a result of their own each', async () => {
    const prompts = Array.from({ length: 8 }, (_, at) => `report ${at}`);
    const agents = await Promise.all(prompts.map((prompt) => client.agents.draft({ ...draft, prompt })));
    const ended = await Promise.all(agents.map(({ id }) => client.agents.await(id)));
    expect(ended.map(({ result }) => result?.summary)).toEqual(
      prompts.map((prompt) => `${prompt}: done\nIn two lines.`),
    );
  });
});
