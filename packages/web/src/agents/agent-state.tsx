// How an agent stands, and for how long it has.
import { type Agent, type AgentStatus, isLive } from '@toolyard/sdk';
import { Badge } from '../parts/badge.tsx';
import { toDuration } from '../parts/format-time.ts';
import { useElapsed } from '../parts/time.tsx';
import { agentStates, asking } from './format-agent.ts';

export interface AgentStateProps {
  status: AgentStatus;
  /** It is a person that it waits for. */
  asks?: boolean | undefined;
}

export function AgentState({ status, asks }: AgentStateProps) {
  const { words, tone, meaning } = asks ? asking : agentStates[status];
  return (
    <Badge tone={tone} title={meaning}>
      {words}
    </Badge>
  );
}

/** Of one that works, ticking; of one that has ended, how long it took. */
export function Elapsed({ agent }: { agent: Agent }) {
  const { startedAt, endedAt } = agent;
  const elapsed = useElapsed(isLive(agent) ? startedAt : undefined);
  const took = endedAt ? Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)) : elapsed;
  return (
    <span
      className="min-w-17 text-right tabular-nums"
      title={endedAt ? 'How long it took' : 'Since it began'}
    >
      {toDuration(took)}
    </span>
  );
}
