// The tasks toolkit: which pieces of work there are, what was done on them, opening and closing one.
import { defineTool, defineToolkit, Slug, type Task, TaskStatus, type Toolkit } from '@toolyard/sdk';
import { z } from 'zod';
import { refuse } from './refusals.ts';

/** Each takes the caller's session first; what it may see of tasks is not decided here. Throws what core throws. */
export interface TaskToolDeps {
  /** Newest first. */
  listTasks(sessionId: string, page: { limit: number }): Promise<Task[]>;
  getTaskContext(sessionId: string, slug: string, maxTokens: number | undefined): Promise<string>;
  createTask(sessionId: string, wanted: { slug: string; description: string }): Promise<Task>;
  closeTask(sessionId: string, slug: string, closing: { outcome?: string | undefined }): Promise<Task>;
}

const maxListed = 100;
const maxDescriptionLength = 300;

const summary = z.object({
  slug: z.string(),
  created: z.string(),
  description: z.string(),
  dispatchCount: z.int().nonnegative(),
  status: TaskStatus,
});

const words = z.string().max(4_000);

export function tasksToolkit(deps: TaskToolDeps): Toolkit {
  return defineToolkit({
    name: 'tasks',
    tools: [listTasks(deps), getTaskContext(deps), createTask(deps), closeTask(deps)],
  });
}

function listTasks({ listTasks: list }: TaskToolDeps) {
  return defineTool({
    name: 'list_tasks',
    title: 'List tasks',
    description: `List the tasks, newest first, at most ${maxListed}: pieces of work with a slug, and how many agents have worked on each.`,
    effect: 'read',
    tier: 'auto',
    input: z.strictObject({}),
    output: z.object({
      tasks: z.array(summary),
      more: z.literal(true).optional().describe('There are older ones'),
    }),
    run: async (_, { sessionId }) => {
      const tasks = await list(sessionId, { limit: maxListed + 1 }).catch(refuse);
      return {
        tasks: tasks.slice(0, maxListed).map(toListed),
        ...(tasks.length > maxListed && { more: true as const }),
      };
    },
  });
}

function getTaskContext({ getTaskContext: get }: TaskToolDeps) {
  return defineTool({
    name: 'get_task_context',
    title: 'Task context',
    description:
      'Read the hand-over of a task: what it is, who works on it, open questions and issues, the newest results. Markdown.',
    effect: 'read',
    tier: 'auto',
    input: z.strictObject({
      taskSlug: Slug.describe('A slug such as list_tasks gives'),
      maxTokens: z
        .int()
        .min(200)
        .max(200_000)
        .optional()
        .describe('About how long it may be; 8000 by default'),
    }),
    output: z.object({ context: z.string() }),
    run: async ({ taskSlug, maxTokens }, { sessionId }) => ({
      context: await get(sessionId, taskSlug, maxTokens).catch(refuse),
    }),
  });
}

function createTask({ createTask: create }: TaskToolDeps) {
  return defineTool({
    name: 'create_task',
    title: 'Create a task',
    description: 'Create a task that agents can then be drafted to work on.',
    effect: 'write',
    tier: 'session',
    input: z.strictObject({
      slug: Slug.describe('Short, such as checkout-errors'),
      description: words.default('').describe('What is to be reached, for whoever works on it'),
    }),
    output: summary,
    run: async (wanted, { sessionId }) => toSummary(await create(sessionId, wanted).catch(refuse)),
  });
}

function closeTask({ closeTask: close }: TaskToolDeps) {
  return defineTool({
    name: 'close_task',
    title: 'Close a task',
    description:
      'Close a task on which nobody works any more. Nobody can be drafted to work on it afterwards.',
    effect: 'write',
    tier: 'session',
    input: z.strictObject({
      taskSlug: Slug,
      outcome: words.optional().describe('What came of it'),
    }),
    output: summary.extend({ closed: z.string().optional() }),
    run: async ({ taskSlug, outcome }, { sessionId }) => {
      const task = await close(sessionId, taskSlug, { outcome }).catch(refuse);
      return { ...toSummary(task), ...(task.closedAt !== undefined && { closed: task.closedAt }) };
    },
  });
}

function toSummary({ slug, createdAt, description, dispatchCount, status }: Task): z.infer<typeof summary> {
  return { slug, created: createdAt, description, dispatchCount, status };
}

/** A list is to be looked through: the whole description is in the task's context. */
function toListed(task: Task): z.infer<typeof summary> {
  const { description } = task;
  const isLong = description.length > maxDescriptionLength;
  const shown = isLong ? `${description.slice(0, maxDescriptionLength).toWellFormed()}…` : description;
  return { ...toSummary(task), description: shown };
}
