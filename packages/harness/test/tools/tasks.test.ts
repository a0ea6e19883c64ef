import { type Task, type ToolContext, ToolError, ToolyardError } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { type TaskToolDeps, tasksToolkit } from '../../src/tools/tasks.ts';

const context: ToolContext = {
  sessionId: 'ses_caller',
  turnId: 'trn',
  toolCallId: 'call',
  cwd: '/the/directory',
  signal: new AbortController().signal,
  progress() {},
};

const task: Task = {
  slug: 'checkout',
  description: 'Make it work.',
  status: 'open',
  dispatchCount: 3,
  liveCount: 1,
  costUsd: 1,
  createdAt: '2026-11-15T12:00:00.000Z',
  updatedAt: '2026-11-15T13:00:00.000Z',
};
const shown = {
  slug: 'checkout',
  created: task.createdAt,
  description: task.description,
  dispatchCount: 3,
  status: 'open',
};

/** The toolkit over tasks that are all alike, and what it asked for. */
function openKit(given: Partial<TaskToolDeps> = {}) {
  const asked: unknown[] = [];
  const note =
    <T>(answer: T) =>
    async (...args: unknown[]): Promise<T> => {
      asked.push(args);
      return answer;
    };
  const kit = tasksToolkit({
    listTasks: note([task]),
    getTaskContext: note('# Task'),
    createTask: note(task),
    closeTask: note({ ...task, status: 'closed' as const, closedAt: '2026-11-15T14:00:00.000Z' }),
    ...given,
  });
  const call = async (name: string, input: object) => {
    const tool = kit.tools.find((each) => each.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    return tool.output.parse(await tool.run(tool.input.parse(input), context));
  };
  return { kit, asked, call };
}

describe('the tasks toolkit', () => {
  test('reads without asking, and asks once per session before it changes anything', () => {
    const { kit } = openKit();
    expect(kit.tools.map(({ name, effect, tier }) => [name, effect, tier])).toEqual([
      ['list_tasks', 'read', 'auto'],
      ['get_task_context', 'read', 'auto'],
      ['create_task', 'write', 'session'],
      ['close_task', 'write', 'session'],
    ]);
  });

  test('hands on who asks, and what for', async () => {
    const { asked, call } = openKit();
    const answers = [
      await call('list_tasks', {}),
      await call('get_task_context', { taskSlug: 'checkout', maxTokens: 500 }),
      await call('create_task', { slug: 'checkout', description: 'Make it work.' }),
      await call('close_task', { taskSlug: 'checkout', outcome: 'It works.' }),
    ];
    expect(answers).toEqual([
      { tasks: [shown] },
      { context: '# Task' },
      shown,
      { ...shown, status: 'closed', closed: '2026-11-15T14:00:00.000Z' },
    ]);
    expect(asked).toEqual([
      ['ses_caller', { limit: 101 }],
      ['ses_caller', 'checkout', 500],
      ['ses_caller', { slug: 'checkout', description: 'Make it work.' }],
      ['ses_caller', 'checkout', { outcome: 'It works.' }],
    ]);
  });

  test('lists a hundred, each with the beginning of its description, and says when there are more', async () => {
    const many = Array.from({ length: 101 }, () => ({ ...task, description: 'ab🛒'.repeat(1_000) }));
    const { tasks, more } = await openKit({ listTasks: async () => many }).call('list_tasks', {});
    expect(more).toBe(true);
    expect(tasks).toHaveLength(100);
    expect(JSON.stringify(tasks).length).toBeLessThan(51_200);
  });

  test('C5: takes no slug that could lead anywhere', async () => {
    const { asked, call } = openKit();
    for (const slug of ['../../x', '.', '', 'x'.repeat(300), '🛒', 'Check Out', '__proto__', '-rf', 'a\0b']) {
      await expect(call('get_task_context', { taskSlug: slug })).rejects.toThrow();
      await expect(call('create_task', { slug, description: '' })).rejects.toThrow();
      await expect(call('close_task', { taskSlug: slug })).rejects.toThrow();
    }
    const tooMuch = [
      { maxTokens: 0 },
      { maxTokens: -1 },
      { maxTokens: 1e9 },
      { maxTokens: 1.5 },
      { more: 1 },
    ];
    for (const rest of tooMuch)
      await expect(call('get_task_context', { taskSlug: 'checkout', ...rest })).rejects.toThrow();
    await expect(call('create_task', { slug: 'a', description: 'x'.repeat(10_000_000) })).rejects.toThrow();
    expect(asked).toEqual([]);
  });

  test('tells the model what was refused by its code and in terms of tools, and nothing of an accident', async () => {
    const refused = new ToolyardError('task_not_found', 'There is no task chekout. Did you mean "checkout"?');
    const { call } = openKit({
      getTaskContext: () => Promise.reject(refused),
      createTask: () => Promise.reject(new Error('secret of the disk')),
    });
    await expect(call('get_task_context', { taskSlug: 'chekout' })).rejects.toThrow(
      new ToolError('task_not_found: There is no task chekout. Did you mean "checkout"?'),
    );
    const unknown = new ToolyardError(
      'task_not_found',
      'There is no task a. List them with `toolyard tasks list`.',
    );
    const other = openKit({ getTaskContext: () => Promise.reject(unknown) });
    await expect(other.call('get_task_context', { taskSlug: 'a' })).rejects.toThrow(
      new ToolError('task_not_found: There is no task a. List them with list_tasks.'),
    );
    const accident = await call('create_task', { slug: 'a' }).catch((thrown: unknown) => thrown);
    expect(accident).not.toBeInstanceOf(ToolError);
  });
});
