// Part of the judge: turns come to an end, once, in order, and sessions come to rest. Pure.
import type { Event } from '@toolyard/sdk';
import type { History, Rows, TurnRow, Violation } from './history.ts';

type Events = ReadonlyMap<string, Event[]>;

/** P12 and P2. */
export function checkTurns(history: History, events: Events): Violation[] {
  const marks = toMarks([...events.values()].flat());
  return [
    ...history.turns.flatMap((turn) => checkEnd(turn, marks)),
    ...history.sessions.flatMap(({ id, status }) => checkRest(id, status, events.get(id) ?? [])),
    ...[...events.values()].flatMap((log) => checkOrder(log, history.turns)),
    ...history.kills.flatMap((kill) => checkKilled(kill, history, marks)),
  ];
}

interface Marks {
  starts: Map<string, number>;
  ends: Map<string, string[]>;
}

/** How often each turn started, and how it ended. */
function toMarks(log: readonly Event[]): Marks {
  const marks: Marks = { starts: new Map(), ends: new Map() };
  for (const { type, data } of log) {
    if (type === 'turn_start') marks.starts.set(data.turnId, (marks.starts.get(data.turnId) ?? 0) + 1);
    if (type === 'turn_end') {
      marks.ends.set(data.turnId, [...(marks.ends.get(data.turnId) ?? []), data.outcome]);
    }
  }
  return marks;
}

function checkEnd({ id, state }: TurnRow, { starts, ends }: Marks): Violation[] {
  if (state === 'queued' || state === 'running') return [{ rule: 'turn-open', detail: `${id} is ${state}` }];
  const shown = ends.get(id) ?? [];
  const started = starts.get(id) ?? 0;
  if (shown.length === 1 && shown[0] === state && started === 1) return [];
  return [{ rule: 'turn-end', detail: `${id} is ${state}, started ${started} times and ended [${shown}]` }];
}

function checkRest(id: string, status: string, log: readonly Event[]): Violation[] {
  const last = log.findLast((event) => event.type === 'session_status');
  const shown = last?.data.status ?? 'idle';
  if (status === 'idle' && shown === 'idle') return [];
  return [{ rule: 'session-open', detail: `${id} is ${status} and shows ${shown}` }];
}

/** Messages of a session are answered in the order they were accepted, and no two turns overlap. */
function checkOrder(log: readonly Event[], turns: readonly TurnRow[]): Violation[] {
  const retries = new Set(turns.filter(({ retryOf }) => retryOf !== null).map(({ id }) => id));
  const accepted: string[] = [];
  const started: string[] = [];
  const found: Violation[] = [];
  let open: string | undefined;
  for (const { type, data } of log) {
    if (type === 'user_message') accepted.push(data.turnId);
    if (type === 'turn_end') open = undefined;
    if (type !== 'turn_start') continue;
    if (open) found.push({ rule: 'turn-order', detail: `${data.turnId} started inside ${open}` });
    open = data.turnId;
    if (!retries.has(open)) started.push(open);
  }
  const wrong = started.find((turnId, index) => turnId !== accepted[index]);
  return wrong ? [...found, { rule: 'turn-order', detail: `${wrong} started out of turn` }] : found;
}

/** What a kill interrupts ends as `restarted`; what it finds waiting runs afterwards. */
function checkKilled(kill: Rows, { turns }: History, { starts }: Marks): Violation[] {
  return kill.turns.flatMap(({ id, state }): Violation[] => {
    const now = turns.find((turn) => turn.id === id);
    const detail = `${id} was ${state} at the kill and is ${now?.state} (${now?.code})`;
    if (state === 'running' && !(now?.state === 'failed' && now.code === 'restarted')) {
      return [{ rule: 'turn-killed', detail }];
    }
    return state === 'queued' && !starts.has(id) ? [{ rule: 'turn-forgotten', detail }] : [];
  });
}
