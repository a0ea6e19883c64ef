// Agents at the command line: drafted, listed as trees, awaited, killed; and every mistake in a sentence.
import { type Agent, pause } from '@toolyard/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandYard } from '../in-process.ts';
import { openAgentCommands } from './agent-stage.ts';

const unknown = `agt_${'0'.repeat(22)}`;

let commandYard: CommandYard;
beforeAll(async () => {
  commandYard = await openAgentCommands();
});
afterAll(() => commandYard.close());

async function draft(...words: string[]): Promise<string> {
  const { stdout } = await commandYard.run('agents', 'draft', '--role', 'assistant', ...words);
  return stdout.trim();
}

/** The live agents, once their states are these, in any order. */
async function untilStates(...states: Agent['status'][]): Promise<Agent[]> {
  for (let tries = 0; tries < 500; tries++) {
    const { items } = await commandYard.yard.client().agents.list();
    if (String(items.map(({ status }) => status).sort()) === String(states)) return items;
    await pause(10);
  }
  throw new Error(`the states of agents were never ${states}`);
}

describe('agents draft', () => {
  it('prints the id, and says what to do next', async () => {
    const { run, work, yard } = commandYard;
    const { code, stdout, stderr } = await run('agents', 'draft', '--role', 'assistant', 'say good morning');
    const id = stdout.trim();
    expect({ code, id }).toEqual({ code: 0, id: expect.stringMatching(/^agt_[0-9a-z]{22}$/) });
    expect(stderr).toBe(`task:    say-good-morning\nwatch:   npm start -- agents await ${id}\n`);
    const { sessionId } = await yard.client().agents.get(id);
    expect(await yard.client().sessions.get(sessionId)).toMatchObject({ cwd: work, role: 'assistant' });
  });

  it('takes task, budget, directory and a session to draft for', async () => {
    const { run, work, yard } = commandYard;
    await run('tasks', 'create', 'greeting');
    const session = await yard.client().sessions.create({ cwd: work });
    const options = ['--task', 'greeting', '--budget', '.5', '--cwd', '.', '--session', session.id, '--json'];
    const { stdout } = await run('agents', 'draft', '--role', 'assistant', ...options, 'say', 'hello');
    expect(JSON.parse(stdout)).toMatchObject({
      taskSlug: 'greeting',
      budgetUsd: 0.5,
      rootSessionId: session.id,
      depth: 1,
      prompt: 'say hello',
    });
  });

  it('waits when it is asked to, and answers as await does', async () => {
    const { run } = commandYard;
    const done = await run('agents', 'draft', '--role', 'assistant', '--await', 'say all is well');
    expect([done.code, done.stdout]).toEqual([
      0,
      '(It reported no result. This is the last thing it said.)\nall is well\n',
    ]);
    expect(done.stderr).toMatch(/^agent: {3}agt_\w+\n(.*\n)*assistant ….{6} is done, .* ms, \$0 of \$10\n$/);
    const failed = await run('agents', 'draft', '--role', 'assistant', '--await', '--json', 'fail');
    expect([failed.code, JSON.parse(failed.stdout)]).toMatchObject([
      1,
      { status: 'failed', error: { code: 'provider_failed' } },
    ]);
  });

  it.each([
    ['no role', ['x'], 2, /needs a role: --role=ROLE/],
    [
      'an unknown role',
      ['--role', 'asistant', 'x'],
      2,
      /There is no role "asistant". Did you mean "assistant"\?/,
    ],
    ['a role that is none', ['--role', '../x', 'x'], 2, /--role: use 1 to 64/],
    ['an empty prompt', ['--role', 'assistant', ' '], 2, /the prompt: say what the agent should do/],
    ['a prompt of nothing', ['--role', 'assistant', ''], 2, /the prompt: say what the agent should do/],
    ['a prompt beyond all measure', ['--role', 'assistant', 'x'.repeat(200_001)], 2, /the prompt: Too big/],
    ['no prompt', ['--role', 'assistant'], 2, /"agents draft" needs a prompt/],
    ['an unknown task', ['--role', 'assistant', '--task', 'nope', 'x'], 1, /There is no task nope/],
    ['a task that is none', ['--role', 'assistant', '--task', '../x', 'x'], 2, /--task: use 1 to 64/],
    ['a negative budget', ['--role', 'assistant', '--budget=-1', 'x'], 2, /--budget is "-1"\. Use dollars/],
    ['no budget at all', ['--role', 'assistant', '--budget', '0', 'x'], 2, /--budget is "0"/],
    ['a huge budget', ['--role', 'assistant', '--budget', '1e9', 'x'], 2, /--budget is "1e9"/],
    ['a time that is none', ['--role', 'assistant', '--await', '--timeout', 'x', 'x'], 2, /--timeout is "x"/],
    [
      'an unknown isolation',
      ['--role', 'assistant', '--isolation', 'worktre', 'x'],
      2,
      /Did you mean "worktree"\?/,
    ],
    [
      'a worktree where there is no repository',
      ['--role', 'assistant', '--isolation', 'worktree', 'x'],
      1,
      /not in a git repository/,
    ],
    ['a directory that is not there', ['--role', 'assistant', '--cwd', 'nowhere', 'x'], 1, /nowhere/],
    [
      'a session that is not there',
      ['--role', 'assistant', '--session', `ses_${'0'.repeat(22)}`, 'x'],
      1,
      /There is no session/,
    ],
  ])('refuses %s in a sentence', async (_, words, code, sentence) => {
    const { yard, run } = commandYard;
    const before = (await yard.client().agents.list({ all: true, limit: 500 })).items.length;
    const finished = await run('agents', 'draft', ...words);
    expect({ ...finished, stderr: '' }).toEqual({ code, stdout: '', stderr: '' });
    expect(finished.stderr).toMatch(/^error: .*\n$/);
    expect(finished.stderr).toMatch(sentence);
    expect((await yard.client().agents.list({ all: true, limit: 500 })).items).toHaveLength(before);
  });
});

describe('agents await', () => {
  it('prints what was reported, the same each time', async () => {
    const { run } = commandYard;
    const id = await draft('report it');
    const first = await run('agents', 'await', id);
    expect([first.code, first.stdout]).toEqual([
      0,
      [
        'report it: done\nIn two lines.\n',
        'Changes\n- a.ts\n- b.ts\n',
        'Issues\n- c.ts is\n  old\n',
        'Questions\n- Why?\n',
      ].join('\n'),
    ]);
    expect(await run('agents', 'await', id, '--json')).toEqual(await run('agents', 'await', id, '--json'));
    expect((await run('agents', 'show', id)).stdout.endsWith(`\n\n${first.stdout}`)).toBe(true);
    const { sessionId } = await commandYard.yard.client().agents.get(id);
    expect((await run('sessions', 'show', sessionId)).stdout).toMatch(
      new RegExp(`^task {6}report-it\nagent {5}${id}, depth 0$`, 'm'),
    );
  });

  it('answers 3 when the time is up first, and the agent works on', async () => {
    const { run, yard } = commandYard;
    const id = await draft('hang');
    const waited = await run('agents', 'await', id, '--timeout', '0');
    expect([waited.code, waited.stdout]).toEqual([3, '']);
    expect(waited.stderr).toMatch(
      new RegExp(`is (queued|running).*\nIt has not ended. Keep waiting: npm start -- agents await ${id}\n$`),
    );
    const asJson = await run('agents', 'await', id, '--timeout', '0', '--json');
    expect(JSON.parse(asJson.stdout)).toEqual({ agentId: id, status: 'running' });
    await yard.client().agents.kill(id);
  });

  it('answers 1 for one that was killed while it waited, and 3 for one at a limit', async () => {
    const { start, run } = commandYard;
    const id = await draft('hang');
    const waiting = start(['agents', 'await', id]);
    await waiting.until(/is (queued|running)/);
    expect(await run('agents', 'kill', id)).toEqual({ code: 0, stdout: `Killed ${id}.\n`, stderr: '' });
    const { code, stdout } = await waiting.finished;
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^✗ .*\(killed\)\n/)]);
    expect((await run('agents', 'await', await draft('broke'))).code).toBe(3);
  });
});

describe('agents kill', () => {
  it('says that one had already ended, and that there is none', async () => {
    const { run } = commandYard;
    const id = await draft('say hello');
    await run('agents', 'await', id);
    expect(await run('agents', 'kill', id)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The agent had already ended: done.\n',
    });
    const asJson = await run('agents', 'kill', id, '--json');
    expect(JSON.parse(asJson.stdout)).toMatchObject({ success: false, killed: [] });
  });

  it.each(['show', 'await', 'kill'])('%s refuses an unknown id like the tools do', async (word) => {
    const { run } = commandYard;
    const { code, stderr } = await run('agents', word, unknown, '--json');
    expect([code, JSON.parse(stderr)]).toMatchObject([1, { error: { code: 'agent_not_found' } }]);
    expect(await run('agents', word, '../x')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: There is no such agent\./),
    });
  });
});

describe('agents list', () => {
  it('is a tree: the session of the person, what it drafted, and what that drafted', async () => {
    const { start, run, yard } = commandYard;
    await run('tasks', 'create', 'tree');
    const running = start(['run', '--role', 'coordinator', '--task', 'tree', 'plan lead hang; hang on']);
    const agents = await untilStates('running', 'running', 'waiting');
    const byPrompt = (text: string) => agents.find(({ prompt }) => prompt === text)?.id ?? '';
    const [lead, below, beside] = [byPrompt('lead hang'), byPrompt('hang'), byPrompt('hang on')];
    const { stdout } = await run('agents', 'list', '--task', 'tree');
    const root = agents[0]?.rootSessionId;
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) =>
          line.replace(/\d+(\.\d+)? m?s\b/, 'TIME').replace(/ +/g, (gap, at) => (at === 0 ? gap : ' ')),
        ),
    ).toEqual([
      'AGENT ROLE STATE COST TIME TASK WORK',
      `${root} coordinator running $0 of $10 TIME tree plan lead hang; hang on`,
      `  ${lead} assistant waiting $0 of $10 TIME tree lead hang`,
      `    ${below} assistant running $0 of $10 TIME tree hang`,
      `  ${beside} assistant running $0 of $10 TIME tree hang on`,
    ]);
    expect(JSON.parse((await run('agents', 'list', '--task', 'tree', '--json')).stdout).items).toHaveLength(
      3,
    );
    const killed = JSON.parse((await run('agents', 'kill', lead, '--json')).stdout);
    expect(killed).toEqual({
      success: true,
      message: `Killed ${lead} and 1 under it.`,
      killed: [lead, below],
    });
    await yard.client().agents.kill(beside);
    expect(await running.finished).toMatchObject({ code: 0, stdout: 'ended: killed, killed\n' });
    expect((await run('agents', 'list')).stdout).toBe(
      'No agent is at work. To list ended agents: npm start -- agents list --all\n',
    );
    expect((await run('agents', 'list', '--all', '--task', 'tree')).stdout).toContain(
      `    ${below}  assistant`,
    );
  });

  it('tells a mistyped task as that', async () => {
    const { run } = commandYard;
    await run('tasks', 'create', 'orchard');
    expect(await run('agents', 'list', '--task', 'orchad')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: There is no task orchad. Did you mean "orchard"?\n',
    });
  });
});
