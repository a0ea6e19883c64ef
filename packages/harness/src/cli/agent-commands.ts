// The commands about agents and tasks, as data.
import type { Command } from './command-line/arguments.ts';
import { json } from './command-line/options.ts';

const agentId = { name: 'the id of an agent', min: 1, max: 1 };
const slug = { name: 'the slug of a task', min: 1, max: 1 };

const timeout = {
  name: 'timeout',
  value: 'SECONDS',
  summary: 'Wait at most so long (default: until it ends)',
};

const awaitCodes =
  'Exit codes: 0 done, 1 failed, killed or expired, 2 usage, 3 at a limit, or still at work when the time was up.';

const agents: Command = {
  name: 'agents',
  summary: 'Draft agents, wait for them, end them, and see who works',
  usage: 'agents list|show|draft|await|kill',
  options: [],
  subcommands: [
    {
      name: 'list',
      summary: 'Agents that work, as trees',
      usage: 'agents list [--all] [--task TASK] [--limit N] [--json]',
      options: [
        { name: 'all', summary: 'Those that have ended, too' },
        { name: 'task', value: 'TASK', summary: 'Only those that work on this task' },
        { name: 'limit', value: 'N', summary: 'How many (default 100)' },
        json,
      ],
      notes: 'COST is what an agent and all that it drafted have spent, and may spend.',
      run: async (call) => (await import('./agents/agents.ts')).listAgents(call),
    },
    {
      name: 'show',
      summary: 'One agent, and what it has reported',
      usage: 'agents show ID [--json]',
      options: [json],
      positionals: agentId,
      notes: 'What it said and did is in its session: sessions show ID.',
      run: async (call) => (await import('./agents/agents.ts')).showAgent(call),
    },
    {
      name: 'draft',
      summary: 'Draft an agent, and print its id',
      usage: 'agents draft --role ROLE [options] "prompt"',
      options: [
        { name: 'role', value: 'ROLE', summary: 'What kind of agent; see roles list' },
        { name: 'task', value: 'TASK', summary: 'The task it works on (default: a new one)' },
        { name: 'budget', value: 'USD', summary: 'What it and all that it drafts may spend' },
        {
          name: 'isolation',
          value: 'KIND',
          summary: 'worktree: a git worktree and branch of its own; worktree-keep leaves it there',
        },
        { name: 'cwd', value: 'DIR', summary: 'Its directory (default: where you are)' },
        { name: 'session', value: 'ID', summary: 'Draft it for this session, as one of its agents' },
        { name: 'await', summary: 'Wait for its end, as agents await does' },
        timeout,
        json,
      ],
      positionals: { name: 'a prompt', min: 1, max: Number.POSITIVE_INFINITY },
      notes: `It sees nothing but the prompt and its role. It goes on when you leave.

With --await:
${awaitCodes}`,
      run: async (call) => (await import('./agents/agents.ts')).draftAgent(call),
    },
    {
      name: 'await',
      summary: 'Wait until an agent has ended, and print its result',
      usage: 'agents await ID [--timeout SECONDS] [--json]',
      options: [timeout, json],
      positionals: agentId,
      notes: `As often as you like: an agent that has ended gives the same answer each time.

${awaitCodes}`,
      run: async (call) => (await import('./agents/agents-await.ts')).awaitAgent(call),
    },
    {
      name: 'kill',
      summary: 'End an agent, its processes and all that it has drafted',
      usage: 'agents kill ID [--json]',
      options: [json],
      positionals: agentId,
      notes:
        'It answers once they are gone. Exit codes: 0 ended, 1 there was nothing to end, or it has not ended yet.',
      run: async (call) => (await import('./agents/agents.ts')).killAgent(call),
    },
  ],
};

const tasks: Command = {
  name: 'tasks',
  summary: 'Pieces of work, who did what on them, and the hand-over',
  usage: 'tasks list|show|create|close|context',
  options: [],
  subcommands: [
    {
      name: 'list',
      summary: 'Tasks, newest first',
      usage: 'tasks list [--status STATUS] [--limit N] [--json]',
      options: [
        { name: 'status', value: 'STATUS', summary: 'Only those that are open, or closed' },
        { name: 'limit', value: 'N', summary: 'How many (default 50)' },
        json,
      ],
      run: async (call) => (await import('./agents/tasks.ts')).listTasks(call),
    },
    {
      name: 'show',
      summary: 'One task, with the newest work on it',
      usage: 'tasks show SLUG [--json]',
      options: [json],
      positionals: slug,
      run: async (call) => (await import('./agents/tasks.ts')).showTask(call),
    },
    {
      name: 'create',
      summary: 'Open a task',
      usage: 'tasks create SLUG [--description TEXT] [--json]',
      options: [{ name: 'description', value: 'TEXT', summary: 'What is to be reached' }, json],
      positionals: slug,
      notes: 'SLUG is short: lower-case letters, digits and dashes, such as checkout-errors.',
      run: async (call) => (await import('./agents/tasks.ts')).createTask(call),
    },
    {
      name: 'close',
      summary: 'Close a task on which nobody works any more',
      usage: 'tasks close SLUG [--outcome TEXT] [--json]',
      options: [{ name: 'outcome', value: 'TEXT', summary: 'What came of it' }, json],
      positionals: slug,
      run: async (call) => (await import('./agents/tasks.ts')).closeTask(call),
    },
    {
      name: 'context',
      summary: 'The hand-over for whoever works on it next, in Markdown',
      usage: 'tasks context SLUG [--max-tokens N] [--json]',
      options: [{ name: 'max-tokens', value: 'N', summary: 'About how long it may be (default 8000)' }, json],
      positionals: slug,
      run: async (call) => (await import('./agents/tasks.ts')).showContext(call),
    },
  ],
};

export const agentCommands: readonly Command[] = [agents, tasks];
