// Formats an agent on one line: its progress for a person who follows its root, and its name as an asker. Pure.
import { type Agent, isLive, type Lineage, toVisibleLine } from '@toolyard/sdk';
import { toDuration, toMoney } from './lines.ts';
import { cut, type TextWriter, toLine, toWidth } from './terminal.ts';

/** The end of an id, long enough to tell the agents of a run apart. */
export function toShortId(id: string): string {
  return `…${toLine(id).slice(-6)}`;
}

/** `developer …r56aw0, depth 2`: the agent that asks. `undefined` for a session that a person opened. */
export function formatAgent({ agentId, depth }: Lineage, role?: string): string | undefined {
  if (agentId === undefined) return undefined;
  return `${role ? toVisibleLine(role) : 'agent'} ${toShortId(agentId)}, depth ${depth}`;
}

/** `$0.02 of $5.00` */
export function toSpent(costUsd: number | null, budgetUsd: number | null): string {
  if (budgetUsd === null) return toMoney(costUsd);
  const spent = costUsd === null ? '?' : costUsd === 0 ? '$0' : toMoney(costUsd);
  return `${spent} of $${Number(budgetUsd.toFixed(2))}`;
}

/** Time since it started, or was queued, until now or its end. */
export function toElapsed({ startedAt, endedAt }: Pick<Agent, 'startedAt' | 'endedAt'>, now: number): string {
  return toDuration((endedAt ? Date.parse(endedAt) : now) - Date.parse(startedAt));
}

/** The first line of its result or error. */
export function toBriefResult({ status, result, error }: Pick<Agent, 'status' | 'result' | 'error'>): string {
  const text = status === 'done' ? (result?.summary ?? '') : (error?.message ?? result?.summary ?? '');
  return toLine(text.trim().split('\n', 1)[0] ?? '');
}

/**
 * One line for each stage of an agent: drafted, running, ended. Waiting in between is not shown.
 */
export function createAgentLines(writer: TextWriter) {
  const shown = new Map<string, 'queued' | 'running' | 'ended'>();

  return (agent: Agent): string | undefined => {
    const stage = isLive(agent) ? (agent.status === 'queued' ? 'queued' : 'running') : 'ended';
    if (shown.get(agent.id) === stage || shown.get(agent.id) === 'ended') return undefined;
    shown.set(agent.id, stage);
    return toNews(writer, agent, stage);
  };
}

function toNews(writer: TextWriter, agent: Agent, stage: 'queued' | 'running' | 'ended'): string {
  const { id, role, status, depth, prompt } = agent;
  const indent = '  '.repeat(Math.max(0, depth - 1));
  const mark = stage !== 'ended' ? '◇' : status === 'done' ? '✓' : '✗';
  const style = stage !== 'ended' ? 'cyan' : status === 'done' ? 'green' : 'red';
  const name = toLine(role);
  const rest = {
    queued: `drafted as ${id}: ${toLine(prompt)}`,
    running: 'running',
    ended: `${status} after ${toElapsed(agent, Date.now())}: ${toBriefResult(agent)}`,
  };
  const text = `${toShortId(id)} ${rest[stage]}`;
  const room = writer.width() - indent.length - toWidth(name) - 3;
  return `${indent}${writer.paint(style, mark)} ${writer.paint('bold', name)} ${cut(text, room)}`;
}
