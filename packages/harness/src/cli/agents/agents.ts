// `agents list`, `show`, `draft` and `kill`.
import { type Agent, Budget, type Client, DraftAgent, Isolation, isLive, ToolyardError } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { toChoice, toNumber, toPath, toUsage, toWorkspace } from '../command-line/values.ts';
import { createServerLink } from '../connection/server-link.ts';
import { toElapsed, toSpent } from '../terminal/agent-line.ts';
import { program } from '../terminal/program.ts';
import { writeTable } from '../terminal/table.ts';
import { type TextWriter, toLine } from '../terminal/terminal.ts';
import { writeResult } from './agent-result.ts';
import { type KnownRun, toTree, treeHead } from './agent-tree.ts';
import { awaitDrafted, toDeadline } from './agents-await.ts';

const maxPageSize = 500;

export async function listAgents(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const all = call.flags.has('all');
  const { task: taskSlug } = call.options;
  const limit = toNumber(call.options.limit ?? '100', '--limit', { min: 1, max: maxPageSize });
  const link = await createServerLink(call);
  const wanted = { all, limit, ...(taskSlug && { taskSlug }) };
  const list = await link.ask((client) => client.agents.list(wanted));
  if (call.flags.has('json')) out.line(JSON.stringify(list));
  else if (list.items.length === 0)
    out.line(
      all ? 'No agents yet.' : `No agent is at work. To list ended agents: ${program} agents list --all`,
    );
  else {
    const known = await link.ask((client) => findRuns(client, list.items));
    const rows = toTree(list.items, known, Date.now());
    writeTable(
      out,
      treeHead,
      rows.map(({ cells }) => cells),
      rows.map(({ indent }) => indent),
    );
    if (list.next) err.line(err.paint('dim', `There are more: --limit ${Math.min(limit * 5, maxPageSize)}`));
  }
  return 0;
}

/** Leaves out what was deleted in the meantime. */
async function findRuns(client: Client, agents: readonly Agent[]): Promise<Map<string, KnownRun>> {
  const roots = new Map(agents.map(({ runId, rootSessionId }) => [runId, rootSessionId]));
  const found = [...roots].map(async ([runId, sessionId]): Promise<[string, KnownRun]> => {
    const [run, root] = await Promise.all([
      client.runs.get(runId).catch(() => undefined),
      client.sessions.get(sessionId).catch(() => undefined),
    ]);
    return [runId, { run, root }];
  });
  return new Map(await Promise.all(found));
}

export async function showAgent(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const [id = ''] = call.words;
  const link = await createServerLink(call);
  const agent = await link.ask((client) => client.agents.get(id));
  if (call.flags.has('json')) out.line(JSON.stringify(agent));
  else {
    writeFacts(out, agent);
    if (!isLive(agent)) {
      out.line();
      writeResult(out, agent);
      const retry = `retry:   ${program} sessions retry ${agent.sessionId}`;
      if (agent.status !== 'done') err.line(err.paint('dim', retry));
    }
  }
  return 0;
}

function writeFacts(writer: TextWriter, agent: Agent): void {
  const { id, role, taskSlug, status, sessionId, parentAgentId, rootSessionId, depth, engine, model } = agent;
  const facts: [string, string][] = [
    ['agent', id],
    ['role', role],
    ['task', taskSlug],
    ['status', status],
    ['session', sessionId],
    ['drafted', `${agent.draftedAt} by ${parentAgentId ?? (depth === 0 ? 'a person' : rootSessionId)}`],
    ['depth', `${depth} below ${rootSessionId}`],
    ['engine', `${engine} · ${model}`],
    ['cost', toSpent(agent.costUsd, agent.budgetUsd)],
    ['time', toElapsed(agent, Date.now())],
    ['prompt', agent.prompt],
  ];
  for (const [name, text] of facts) writer.line(`${writer.paint('dim', name.padEnd(10))}${toLine(text)}`);
}

export async function draftAgent(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const body = { ...toDraft(call), ...(call.options.session && { sessionId: call.options.session }) };
  // Validates --timeout before the agent is drafted.
  toDeadline(call);
  const link = await createServerLink(call);
  // Not retried after a lost connection: the agent may already be drafted.
  const agent = await link.client.agents.draft(body);
  if (call.flags.has('await')) {
    err.line(err.paint('dim', `agent:   ${agent.id}`));
    return awaitDrafted(call, link, agent.id);
  }
  out.line(call.flags.has('json') ? JSON.stringify(agent) : agent.id);
  const next = `watch:   ${program} agents await ${agent.id}`;
  if (!call.flags.has('json')) err.line(err.paint('dim', `task:    ${agent.taskSlug}\n${next}`));
  return 0;
}

function toDraft({ options, words, env }: Call): DraftAgent {
  const { role, task, budget, isolation, cwd, session } = options;
  if (role === undefined) throw new ToolyardError('usage', '"agents draft" needs a role: --role=ROLE.');
  const place = cwd !== undefined ? toPath(cwd, env) : session ? undefined : toWorkspace(undefined, env);
  const parsed = DraftAgent.safeParse({
    role,
    prompt: words.join(' '),
    ...(task !== undefined && { taskSlug: task }),
    ...(budget !== undefined && { budgetUsd: toBudget(budget) }),
    ...(isolation !== undefined && { isolation: toChoice(isolation, '--isolation', Isolation.options) }),
    ...(place !== undefined && { cwd: place }),
  });
  if (parsed.success) return parsed.data;
  throw toUsage(parsed.error.issues, { taskSlug: '--task', budgetUsd: '--budget', prompt: 'the prompt' });
}

function toBudget(text: string): number {
  const usd = /^\d*\.?\d+$/.test(text) ? Number(text) : 0;
  if (Budget.safeParse(usd).success) return usd;
  throw new ToolyardError('usage', `--budget is "${text}". Use dollars, such as 0.50, up to 1000000.`);
}

export async function killAgent(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const [id = ''] = call.words;
  const link = await createServerLink(call);
  const { success, message, killed } = await link.ask((client) => client.agents.kill(id));
  if (call.flags.has('json')) out.line(JSON.stringify({ success, message, killed }));
  else (success ? out : err).line(message);
  return success ? 0 : 1;
}
