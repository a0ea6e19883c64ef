// An agent in words: how it stands, and what it is called where several stand together. Pure.
import { type Agent, type AgentStatus, toVisibleLine } from '@toolyard/sdk';
import { toMoney } from '../parts/amounts.tsx';
import type { Tone } from '../parts/badge.tsx';
import { toShortId } from '../queries/actor-names.ts';

export const agentStates: Record<AgentStatus, { words: string; tone: Tone; meaning: string }> = {
  queued: { words: 'queued', tone: 'neutral', meaning: 'It waits for a free slot' },
  running: { words: 'running', tone: 'accent', meaning: 'It works' },
  waiting: { words: 'waiting', tone: 'warn', meaning: 'It waits for you or for another agent' },
  done: { words: 'done', tone: 'good', meaning: 'It came to its end' },
  failed: { words: 'failed', tone: 'bad', meaning: 'It broke off' },
  killed: { words: 'killed', tone: 'neutral', meaning: 'Somebody ended it' },
  expired: { words: 'expired', tone: 'bad', meaning: 'It ran out of time' },
};

export const asking = { words: 'asks you', tone: 'warn', meaning: 'It waits for your answer' } as const;

/** `developer agt_…1a2b3c4` */
export function nameAgent({ role, id }: Pick<Agent, 'role' | 'id'>): string {
  return `${toVisibleLine(role)} ${toShortId(id)}`;
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function formatSpent(costUsd: number | null, budgetUsd: number | null): string {
  const spent = costUsd === null ? 'cost unknown' : toMoney(costUsd);
  return budgetUsd === null ? spent : `${spent} of ${toMoney(budgetUsd)}`;
}
