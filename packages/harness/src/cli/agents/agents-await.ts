// `agents await`: waits until an agent ends or the timeout passes, by long polling.
import { type Agent, type AwaitedAgent, isLive } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { toNumber } from '../command-line/values.ts';
import { createServerLink, type ServerLink } from '../connection/server-link.ts';
import { toElapsed, toShortId, toSpent } from '../terminal/agent-line.ts';
import { program } from '../terminal/program.ts';
import { writeResult } from './agent-result.ts';

/** How long one request waits. */
const maxPollSeconds = 45;
/** Out of time, or at a limit. */
const limitExit = 3;

export async function awaitAgent(call: Call): Promise<number> {
  const [id = ''] = call.words;
  return awaitDrafted(call, await createServerLink(call), id);
}

export async function awaitDrafted(call: Call, link: ServerLink, id: string): Promise<number> {
  const { out, err } = call.terminal;
  const awaited = await poll(call, link, id);
  if (call.flags.has('json')) out.line(JSON.stringify(awaited));
  else if (isLive(awaited)) err.line(`It has not ended. Keep waiting: ${program} agents await ${id}`);
  else {
    err.line(err.paint('dim', formatEnd(await link.ask((client) => client.agents.get(id)))));
    writeResult(out, awaited);
  }
  return toExitCode(awaited);
}

/** When to stop waiting, by the clock of this process. */
export function toDeadline({ options: { timeout } }: Pick<Call, 'options'>): number {
  if (timeout === undefined) return Number.POSITIVE_INFINITY;
  return performance.now() + toNumber(timeout, '--timeout', { min: 0, max: 1_000_000 }) * 1_000;
}

async function poll(call: Call, link: ServerLink, id: string): Promise<AwaitedAgent> {
  const { err } = call.terminal;
  const end = toDeadline(call);
  let lastLine = '';
  for (;;) {
    const agent = await link.ask((client) => client.agents.get(id));
    if (isLive(agent) && lastLine !== agent.status) err.line(err.paint('dim', formatEnd(agent)));
    lastLine = agent.status;
    const leftSeconds = Math.max(0, end - performance.now()) / 1_000;
    const timeoutSeconds = Math.min(maxPollSeconds, leftSeconds);
    const awaited = await link.ask((client) => client.agents.await(id, { timeoutSeconds }));
    if (!isLive(awaited) || performance.now() >= end) return awaited;
    lastLine = '';
  }
}

/** `developer …r56aw0 is running, 45.0 s, $0.02 of $5` */
function formatEnd(agent: Agent): string {
  const { id, role, status, costUsd, budgetUsd } = agent;
  const facts = [toElapsed(agent, Date.now()), toSpent(costUsd, budgetUsd)];
  return `${role} ${toShortId(id)} is ${status}, ${facts.join(', ')}`;
}

function toExitCode({ status, error }: AwaitedAgent): number {
  if (status === 'done') return 0;
  const isLimit = error?.code === 'budget_limit' || error?.code === 'agent_limit';
  return isLive({ status }) || isLimit ? limitExit : 1;
}
