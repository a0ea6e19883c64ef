// `tasks list`, `show`, `create`, `close` and `context`.
import { CreateTask, type Dispatch, type Task, TaskStatus } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { toChoice, toNumber, toUsage } from '../command-line/values.ts';
import { createServerLink } from '../connection/server-link.ts';
import { toBriefResult, toElapsed, toSpent } from '../terminal/agent-line.ts';
import { toAge, toMoney } from '../terminal/lines.ts';
import { program } from '../terminal/program.ts';
import { writeTable } from '../terminal/table.ts';
import { type TextWriter, toLine } from '../terminal/terminal.ts';

const maxPageSize = 500;

export async function listTasks(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const status = call.options.status && toChoice(call.options.status, '--status', TaskStatus.options);
  const limit = toNumber(call.options.limit ?? '50', '--limit', { min: 1, max: maxPageSize });
  const link = await createServerLink(call);
  const list = await link.ask((client) => client.tasks.list({ limit, ...(status && { status }) }));
  if (call.flags.has('json')) out.line(JSON.stringify(list));
  else if (list.items.length === 0)
    out.line(status ? `No task is ${status}.` : `No tasks yet. Create one: ${program} tasks create SLUG`);
  else {
    const rows = list.items.map((task) => toRow(task, Date.now()));
    writeTable(out, ['TASK', 'STATUS', 'WORK', 'COST', 'UPDATED', 'DESCRIPTION'], rows);
    if (list.next) err.line(err.paint('dim', `There are more: --limit ${Math.min(limit * 5, maxPageSize)}`));
  }
  return 0;
}

function toRow(task: Task, now: number): string[] {
  const { slug, status, costUsd, updatedAt, description } = task;
  return [slug, status, formatWork(task), toMoney(costUsd), toAge(updatedAt, now), description || '–'];
}

function formatWork({ dispatchCount, liveCount }: Task): string {
  return liveCount > 0 ? `${dispatchCount}, ${liveCount} live` : String(dispatchCount);
}

export async function showTask(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const [slug = ''] = call.words;
  const link = await createServerLink(call);
  const task = await link.ask((client) => client.tasks.get(slug));
  if (call.flags.has('json')) {
    out.line(JSON.stringify(task));
    return 0;
  }
  writeFacts(out, task);
  const { items, next } = task.dispatches;
  if (items.length > 0) {
    out.line();
    const rows = items.map((dispatch) => toDispatchRow(dispatch, Date.now()));
    writeTable(out, ['WORK', 'ROLE', 'STATE', 'COST', 'TIME', 'RESULT'], rows);
  }
  if (next)
    err.line(err.paint('dim', `Older work is not shown. To see all: ${program} tasks context ${slug}`));
  return 0;
}

function writeFacts(writer: TextWriter, task: Task): void {
  const { slug, status, description, costUsd, createdAt, updatedAt, closedAt, outcome } = task;
  const facts: [string, string][] = [
    ['task', slug],
    ['status', closedAt ? `${status} at ${closedAt}` : status],
    ...(outcome === undefined ? [] : [['outcome', outcome] satisfies [string, string]]),
    ['about', description || '–'],
    ['work', formatWork(task)],
    ['cost', toMoney(costUsd)],
    ['created', createdAt],
    ['updated', updatedAt],
  ];
  for (const [name, text] of facts) writer.line(`${writer.paint('dim', name.padEnd(10))}${toLine(text)}`);
}

function toDispatchRow(dispatch: Dispatch, now: number): string[] {
  const { id, role, status, costUsd, budgetUsd } = dispatch;
  const cost = toSpent(costUsd, budgetUsd);
  return [id, role, status, cost, toElapsed(dispatch, now), toBriefResult(dispatch)];
}

export async function createTask(call: Call): Promise<number> {
  const [slug = ''] = call.words;
  const parsed = CreateTask.safeParse({ slug, description: call.options.description });
  if (!parsed.success) throw toUsage(parsed.error.issues, { slug: 'the slug' });
  const link = await createServerLink(call);
  // Not retried after a lost connection: the task may already exist.
  return writeTask(call, await link.client.tasks.create(parsed.data));
}

export async function closeTask(call: Call): Promise<number> {
  const [slug = ''] = call.words;
  const { outcome } = call.options;
  const link = await createServerLink(call);
  return writeTask(call, await link.client.tasks.close(slug, outcome === undefined ? {} : { outcome }));
}

function writeTask({ terminal: { out }, flags }: Call, task: Task): number {
  out.line(flags.has('json') ? JSON.stringify(task) : `The task ${task.slug} is ${task.status}.`);
  return 0;
}

export async function showContext(call: Call): Promise<number> {
  const { out } = call.terminal;
  const [slug = ''] = call.words;
  const max = call.options['max-tokens'];
  const maxTokens = max && toNumber(max, '--max-tokens', { min: 200, max: 200_000 });
  const link = await createServerLink(call);
  const answer = await link.ask((client) => client.tasks.context(slug, maxTokens ? { maxTokens } : {}));
  out.line(call.flags.has('json') ? JSON.stringify(answer) : out.safe(answer.context).trimEnd());
  return 0;
}
