// The judge of every crash test: what a home may never show, whatever was killed and when. Pure.
import { type Event, parseEvent } from '@toolyard/sdk';
import { checkCalls } from './check-calls.ts';
import { checkTurns } from './check-turns.ts';
import type { History, Sighting, Violation } from './history.ts';

/** Every broken promise in a history; none when all held. */
export function findViolations(history: History): Violation[] {
  const gaps = [...history.log.values()].flatMap(checkNumbers);
  const events = new Map([...history.log].map(([id, sightings]) => [id, sightings.map(toEvent)]));
  return [
    ...gaps,
    ...history.readers.flatMap((seen) => checkReader(seen, history.log)),
    ...checkAcks(history, events),
    ...[...events.values()].flatMap(checkMessages),
    ...checkTurns(history, events),
    ...checkCalls(history, events),
    ...history.surprises.map((detail) => ({ rule: 'surprise', detail })),
  ];
}

function toEvent({ data }: Sighting): Event {
  return parseEvent(JSON.parse(data));
}

/** P2: numbers run from 1 without a gap. */
function checkNumbers(log: readonly Sighting[]): Violation[] {
  const at = log.findIndex(({ seq }, index) => seq !== index + 1);
  const wrong = log[at];
  if (!wrong) return [];
  return [{ rule: 'gap', detail: `${wrong.sessionId} has ${wrong.seq} where ${at + 1} should be` }];
}

/** P1 and P2: what a reader saw is still there, unchanged, and it saw each event once and in order. */
function checkReader(seen: readonly Sighting[], log: History['log']): Violation[] {
  return seen.flatMap(({ sessionId, seq, data }, index): Violation[] => {
    const at = `event ${seq} of ${sessionId}`;
    const kept = findEvent(log.get(sessionId) ?? [], seq);
    if (seq !== index + 1) return [{ rule: 'reader-order', detail: `${at} came as number ${index + 1}` }];
    if (!kept) return [{ rule: 'event-lost', detail: `${at} was seen and is gone: ${data}` }];
    return kept.data === data
      ? []
      : [{ rule: 'event-changed', detail: `${at} was ${data} and is ${kept.data}` }];
  });
}

function findEvent<T extends { seq: number }>(log: readonly T[], seq: number): T | undefined {
  const usual = log[seq - 1];
  return usual?.seq === seq ? usual : log.find((event) => event.seq === seq);
}

/** P1: what was promised is kept, where it was promised. */
function checkAcks({ acks, sessions, turns }: History, events: ReadonlyMap<string, Event[]>): Violation[] {
  const kept = new Set([...sessions, ...turns].map(({ id }) => id));
  return acks.flatMap((ack): Violation[] => {
    const lost = (detail: string) => [{ rule: 'acknowledged-lost', detail: `${ack.sessionId}: ${detail}` }];
    if (!kept.has(ack.sessionId)) return lost('the session');
    if (ack.kind === 'session') return [];
    if (!kept.has(ack.turnId)) return lost(`turn ${ack.turnId}`);
    if (ack.kind === 'retry') return [];
    const event = findEvent(events.get(ack.sessionId) ?? [], ack.seq);
    const isKept =
      event?.type === 'user_message' && event.data.turnId === ack.turnId && event.data.content === ack.text;
    return isKept ? [] : lost(`message ${ack.seq} "${ack.text}" is ${JSON.stringify(event)}`);
  });
}

/** P18: a message sent again under its key is there once. */
function checkMessages(log: readonly Event[]): Violation[] {
  const texts = log.flatMap((event) => (event.type === 'user_message' ? [String(event.data.content)] : []));
  const once = new Set<string>();
  return texts
    .filter((text) => once.size === once.add(text).size)
    .map((text) => ({ rule: 'message-doubled', detail: text }));
}
