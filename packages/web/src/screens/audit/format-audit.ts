// A row of evidence in words. Pure.
import { type AuditRow, toVisibleLine } from '@toolyard/sdk';
import type { Tone } from '../../parts/badge.tsx';
import { toShortId } from '../../queries/actor-names.ts';

const changes: Record<NonNullable<AuditRow['change']>, string> = {
  mode_changed: 'Mode changed to',
  workspace_trusted: 'Workspace trusted:',
  grant_revoked: 'Grant revoked:',
  token_created: 'Token created:',
  token_revoked: 'Token revoked:',
  config_changed: 'Configuration changed:',
  session_deleted: 'Session deleted:',
  backup_created: 'Backup written:',
  agent_drafted: 'Agent drafted:',
  agent_killed: 'Agent killed:',
  task_created: 'Task created:',
  task_closed: 'Task closed:',
};

export function formatChange({ change, subject }: AuditRow): string {
  const what = change ? (changes[change] ?? change) : 'Changed:';
  return `${what} ${toVisibleLine(subject ?? '').replace(/\b[a-z]{3,4}_[0-9a-z]{22}\b/g, toShortId)}`;
}

export interface Outcome {
  word: string;
  tone: Tone;
}

const decisions: Record<NonNullable<AuditRow['decision']>, Outcome> = {
  allow: { word: 'allowed', tone: 'good' },
  deny: { word: 'denied', tone: 'bad' },
  expired: { word: 'expired', tone: 'warn' },
  cancelled: { word: 'cancelled', tone: 'neutral' },
};
const outcomes: Record<NonNullable<AuditRow['outcome']>, Outcome> = {
  done: { word: 'done', tone: 'good' },
  failed: { word: 'failed', tone: 'bad' },
  unknown: { word: 'outcome unknown', tone: 'warn' },
};

export function toOutcome({ kind, decision, outcome }: AuditRow): Outcome | undefined {
  if (kind === 'change') return undefined;
  if (kind === 'result') return outcome && outcomes[outcome];
  return decision && decisions[decision];
}

export function formatActor({ actor: { kind, id } }: AuditRow, nameOf: (id: string) => string): string {
  if (kind === 'system') return 'Toolyard itself';
  // An agent is named by its session, which has a column of its own.
  return kind === 'agent' ? 'the agent' : nameOf(id);
}

/** `15 Nov, 11:25:49` */
export function toShortTime(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return at;
  const sameYear = time.getFullYear() === new Date().getFullYear();
  const day = time.toLocaleDateString(undefined, {
    day: 'numeric',
    month: 'short',
    ...(!sameYear && { year: '2-digit' }),
  });
  return `${day}, ${time.toLocaleTimeString(undefined, { hour12: false })}`;
}
