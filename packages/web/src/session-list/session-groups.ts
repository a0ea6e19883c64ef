// Sessions under the day they were begun; first those that wait for a person, and those at work. Pure.
import type { Session, SessionStatus } from '@toolyard/sdk';

export interface SessionGroup {
  name: string;
  sessions: Session[];
}

const dayMs = 86_400_000;

/** Keeps the order; a name comes once as long as the list is sorted. `asking`: in or under these a person is asked. */
export function toGroups(
  sessions: readonly Session[],
  now: number,
  asking: ReadonlySet<string> = new Set(),
): SessionGroup[] {
  const of = (wanted: SessionStatus) =>
    sessions.filter((session) => toShownStatus(session, asking) === wanted);
  const live = [
    { name: 'Waits for you', sessions: of('waiting') },
    { name: 'At work', sessions: of('running') },
  ];
  const rest = sessions.filter((session) => !isUnderWay(session, asking));
  return [...live.filter((group) => group.sessions.length > 0), ...toDays(rest, now)];
}

/** Who was drafted under it may ask while it works: then it is a person that it waits for. */
export function toShownStatus({ id, status }: Session, asking: ReadonlySet<string>): SessionStatus {
  return asking.has(id) ? 'waiting' : status;
}

/** It works, or waits for a person. */
export function isUnderWay(session: Session, asking: ReadonlySet<string>): boolean {
  return ['waiting', 'running'].includes(toShownStatus(session, asking));
}

function toDays(sessions: readonly Session[], now: number): SessionGroup[] {
  const groups: SessionGroup[] = [];
  for (const session of sessions) {
    const name = toName(Date.parse(session.createdAt), now);
    const last = groups.at(-1);
    if (last?.name === name) last.sessions.push(session);
    else groups.push({ name, sessions: [session] });
  }
  return groups;
}

function toName(at: number, now: number): string {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (at >= midnight) return 'Today';
  if (at >= midnight - dayMs) return 'Yesterday';
  if (at >= midnight - 6 * dayMs) return 'This week';
  return new Date(at).toLocaleDateString(undefined, { month: 'long', year: 'numeric' });
}

/** Was it made for a single call of a tool? Then nobody talks in it. */
export function isDirect({ engine }: Session): boolean {
  return engine === 'direct';
}

/** Was it drafted under another one? Then it stands there, and among the agents. */
export function isDrafted({ id, rootSessionId }: Session): boolean {
  return rootSessionId !== id;
}

/** Every word must be somewhere in what is shown of it. */
export function matches(session: Session, filter: string): boolean {
  const text =
    `${session.title} ${session.role} ${session.engine} ${session.model} ${session.cwd}`.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
