// The commands about agents and tasks, as data.
import type { Command } from './command-line/arguments.ts';
import { json } from './command-line/options.ts';

const agentId = { name: 'the id of an agent', min: 1, max: 1 };
const slug = { name: 'the slug of a task', min: 1, max: 1 };

const timeout = {
  name: 'timeout',
  value: 'SECONDS',
  summary: 'Maximum time to wait (default: until it ends)',
};

const awaitCodes =
  'Exit codes: 0 done, 1 failed, killed or expired, 2 usage, 3 at a limit, or not ended within the timeout.';

const agents: Command = {
  name: 'agents',
  summary: 'Draft agents, wait for them, kill them and list them',
  usage: 'agents list|show|draft|await|kill',
  options: [],
  subcommands: [
    {
      name: 'list',
      summary: 'Agents that have not ended, as trees',
      usage: 'agents list [--all] [--task TASK] [--limit N] [--json]',
      options: [
        { name: 'all', summary: 'Include agents that have ended' },
        { name: 'task', value: 'TASK', summary: 'Only agents that work on this task' },
        { name: 'limit', value: 'N', summary: 'Maximum number (default 100)' },
        json,
      ],
      notes: 'COST is what an agent and all agents under it have spent, and their budget.',
      run: async (call) => (await import('./agents/agents.ts')).listAgents(call),
    },
    {
      name: 'show',
      summary: 'One agent and its result',
      usage: 'agents show ID [--json]',
      options: [json],
      positionals: agentId,
      notes: 'What it said and did is in its session: sessions show SESSION.',
      run: async (call) => (await import('./agents/agents.ts')).showAgent(call),
    },
    {
      name: 'draft',
      summary: 'Draft an agent, and print its id',
      usage: 'agents draft --role ROLE [options] "prompt"',
      options: [
        { name: 'role', value: 'ROLE', summary: 'Role of the agent; see roles list' },
        { name: 'task', value: 'TASK', summary: 'Task that it works on (default: a new one)' },
        { name: 'budget', value: 'USD', summary: 'Budget in dollars for it and all agents under it' },
        {
          name: 'isolation',
          value: 'KIND',
          summary: 'worktree: its own git worktree and branch; worktree-keep: the worktree stays afterwards',
        },
        { name: 'cwd', value: 'DIR', summary: 'Its directory (default: the current directory)' },
        { name: 'session', value: 'ID', summary: 'Draft it as an agent of this session' },
        { name: 'await', summary: 'Wait until it ends, like agents await' },
        timeout,
        json,
      ],
      positionals: { name: 'a prompt', min: 1, max: Number.POSITIVE_INFINITY },
      notes: `The agent sees only the prompt and its role. It keeps running after you leave.

With --await:
${awaitCodes}`,
      run: async (call) => (await import('./agents/agents.ts')).draftAgent(call),
    },
    {
      name: 'await',
      summary: 'Wait until an agent ends, and print its result',
      usage: 'agents await ID [--timeout SECONDS] [--json]',
      options: [timeout, json],
      positionals: agentId,
      notes: `You can repeat this command: an agent that has ended gives the same answer each time.

${awaitCodes}`,
      run: async (call) => (await import('./agents/agents-await.ts')).awaitAgent(call),
    },
    {
      name: 'kill',
      summary: 'Kill an agent, its processes and all agents under it',
      usage: 'agents kill ID [--json]',
      options: [json],
      positionals: agentId,
      notes:
        'The command returns when they are gone. Exit codes: 0 ended, 1 nothing to end, or not ended yet.',
      run: async (call) => (await import('./agents/agents.ts')).killAgent(call),
    },
  ],
};

const tasks: Command = {
  name: 'tasks',
  summary: 'Manage tasks and read their hand-over',
  usage: 'tasks list|show|create|close|context',
  options: [],
  subcommands: [
    {
      name: 'list',
      summary: 'Tasks, newest first',
      usage: 'tasks list [--status STATUS] [--limit N] [--json]',
      options: [
        { name: 'status', value: 'STATUS', summary: 'Only tasks with this status: open or closed' },
        { name: 'limit', value: 'N', summary: 'Maximum number (default 50)' },
        json,
      ],
      run: async (call) => (await import('./agents/tasks.ts')).listTasks(call),
    },
    {
      name: 'show',
      summary: 'One task and the newest work on it',
      usage: 'tasks show SLUG [--json]',
      options: [json],
      positionals: slug,
      run: async (call) => (await import('./agents/tasks.ts')).showTask(call),
    },
    {
      name: 'create',
      summary: 'Create a task',
      usage: 'tasks create SLUG [--description TEXT] [--json]',
      options: [{ name: 'description', value: 'TEXT', summary: 'Goal of the task' }, json],
      positionals: slug,
      notes: 'SLUG is a short name of lower-case letters, digits and dashes, such as checkout-errors.',
      run: async (call) => (await import('./agents/tasks.ts')).createTask(call),
    },
    {
      name: 'close',
      summary: 'Close a task that nobody works on',
      usage: 'tasks close SLUG [--outcome TEXT] [--json]',
      options: [{ name: 'outcome', value: 'TEXT', summary: 'Result of the task' }, json],
      positionals: slug,
      run: async (call) => (await import('./agents/tasks.ts')).closeTask(call),
    },
    {
      name: 'context',
      summary: 'Print the hand-over for whoever works on it next, in Markdown',
      usage: 'tasks context SLUG [--max-tokens N] [--json]',
      options: [
        { name: 'max-tokens', value: 'N', summary: 'Approximate maximum length (default 8000)' },
        json,
      ],
      positionals: slug,
      run: async (call) => (await import('./agents/tasks.ts')).showContext(call),
    },
  ],
};

export const agentCommands: readonly Command[] = [agents, tasks];
