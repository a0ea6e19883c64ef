// Tasks at the command line: created, worked on, handed over, closed.
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { CommandYard } from '../in-process.ts';
import { openAgentCommands } from './agent-stage.ts';

let commandYard: CommandYard;
beforeAll(async () => {
  commandYard = await openAgentCommands();
  await commandYard.run('tasks', 'create', 'known');
});
afterAll(() => commandYard.close());

it('a task is created, worked on by an agent and a person, handed over and closed', async () => {
  // In a home where no other test creates tasks.
  const { run, close } = await openAgentCommands();
  onTestFinished(close);
  expect((await run('tasks', 'list')).stdout).toBe(
    'No tasks yet. Create one: npm start -- tasks create SLUG\n',
  );
  const created = await run('tasks', 'create', 'checkout', '--description', 'People can\u001b pay');
  expect(created).toEqual({ code: 0, stdout: 'The task checkout is open.\n', stderr: '' });
  await run('agents', 'draft', '--role', 'assistant', '--task', 'checkout', '--await', 'report form');
  await run('run', '--task', 'checkout', 'say hello');
  const listed = (await run('tasks', 'list', '--status', 'open')).stdout.split('\n');
  expect(listed.map((line) => line.replace(/ +/g, ' '))).toEqual([
    'TASK STATUS WORK COST UPDATED DESCRIPTION',
    expect.stringMatching(/^checkout open 2 free just now People can\S* pay$/),
    '',
  ]);
  const shown = (await run('tasks', 'show', 'checkout')).stdout;
  expect(shown).toMatch(
    /^task {6}checkout\nstatus {4}open\nabout {5}People can.* pay\nwork {6}2\ncost {6}free\n/,
  );
  expect(shown).toMatch(
    /\nWORK .*\ntrn_\w+ +assistant +done +free .* hello\nagt_\w+ +assistant +done .* report form: done\n$/,
  );
  const { stdout } = await run('tasks', 'context', 'checkout', '--max-tokens', '2000');
  expect(stdout).toMatch(/^# Task `checkout`: open\n[\s\S]*> - Why\?\n[\s\S]*report form: done/);
  expect(JSON.parse((await run('tasks', 'context', 'checkout', '--json')).stdout)).toEqual({
    context: expect.any(String),
  });
  const closed = await run('tasks', 'close', 'checkout', '--outcome', 'They can.', '--json');
  expect(JSON.parse(closed.stdout)).toMatchObject({
    slug: 'checkout',
    status: 'closed',
    outcome: 'They can.',
  });
  expect((await run('tasks', 'show', 'checkout')).stdout).toMatch(
    /status {4}closed at .*\noutcome {3}They can\.\n/,
  );
  expect((await run('tasks', 'list', '--status', 'open')).stdout).toBe('No task is open.\n');
});

it('run --task creates the task when it is new, and refuses one that is closed', async () => {
  const { run, yard } = commandYard;
  expect((await run('run', '--task', 'fresh', 'say hello')).code).toBe(0);
  expect(await yard.client().tasks.get('fresh')).toMatchObject({ status: 'open', dispatchCount: 1 });
  await run('tasks', 'close', 'fresh');
  const refused = await run('run', '--task', 'fresh', 'say hello');
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/^error: The task fresh was closed/),
  ]);
});

it('a task is not closed while somebody works on it', async () => {
  const { run, yard } = commandYard;
  await run('tasks', 'create', 'busy');
  const id = (await run('agents', 'draft', '--role', 'assistant', '--task', 'busy', 'hang')).stdout.trim();
  const { code, stderr } = await run('tasks', 'close', 'busy', '--json');
  expect([code, JSON.parse(stderr).error]).toMatchObject([
    1,
    { code: 'task_busy', data: { agentIds: [id] } },
  ]);
  await yard.client().agents.kill(id);
});

it.each([
  [['show', 'nope'], 1, 'task_not_found'],
  [['show', '../x'], 1, 'task_not_found'],
  [['context', 'nope'], 1, 'task_not_found'],
  [['close', 'nope'], 1, 'task_not_found'],
  [['create', '../x'], 2, 'usage'],
  [['create', 'known'], 1, 'task_exists'],
  [['context', 'known', '--max-tokens', '1'], 2, 'usage'],
  [['list', '--status', 'done'], 2, 'usage'],
])('tasks %j is refused with its code', async (words, code, error) => {
  const finished = await commandYard.run('tasks', ...words, '--json');
  expect([finished.code, finished.stdout, JSON.parse(finished.stderr).error.code]).toEqual([code, '', error]);
});
