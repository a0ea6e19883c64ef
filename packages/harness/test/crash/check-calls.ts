// Part of the judge: a call's effect, its row, what people see and what the model was told agree. Pure.
import type { Event } from '@toolyard/sdk';
import { parseReports } from './crash-script.ts';
import type { CallRow, Effect, History, Rows, Violation } from './history.ts';

type Events = ReadonlyMap<string, Event[]>;

export function checkCalls(history: History, events: Events): Violation[] {
  const rows = new Map(history.calls.map((call) => [keyOf(call), call]));
  const effects = new Set(history.ledger.map(keyOf));
  return [
    ...checkEffects(history.ledger, rows),
    ...history.calls.flatMap((call) => checkCall(call, effects)),
    ...history.sessions.flatMap(({ id }) => checkShown(id, history.calls, events.get(id) ?? [])),
    ...history.kills.flatMap((kill) => checkKilled(kill, rows)),
  ];
}

function keyOf({ turnId, callId }: { turnId: string; callId: string }): string {
  return `${turnId} ${callId}`;
}

/** No call runs twice, even in another attempt at its turn, and none runs before its row says so. */
function checkEffects(ledger: readonly Effect[], rows: ReadonlyMap<string, CallRow>): Violation[] {
  const ran = new Set<string>();
  return ledger.flatMap((effect): Violation[] => {
    const call = `${effect.sessionId} ${effect.callId}`;
    if (ran.has(call)) return [{ rule: 'effect-doubled', detail: call }];
    ran.add(call);
    return rows.has(keyOf(effect)) ? [] : [{ rule: 'effect-unrecorded', detail: call }];
  });
}

function checkCall(call: CallRow, effects: ReadonlySet<string>): Violation[] {
  const detail = `${keyOf(call)} is ${call.state}`;
  if (call.state === 'asked' || call.state === 'allowed' || call.state === 'started') {
    return [{ rule: 'call-open', detail }];
  }
  return call.state === 'done' && !effects.has(keyOf(call)) ? [{ rule: 'effect-missing', detail }] : [];
}

/** Each call's result is in the log once and says what the row says; the model was told no other thing. */
function checkShown(sessionId: string, calls: readonly CallRow[], log: readonly Event[]): Violation[] {
  const own = calls.filter((call) => call.sessionId === sessionId);
  const recorded = own.map(({ callId, state }) => `${callId} ${state}`).sort();
  const shown = log.flatMap((event) => (event.type === 'tool_result' ? [toShown(event)] : [])).sort();
  const told = log
    .flatMap((event) => (event.type === 'text_delta' ? parseReports(event.data.text) : []))
    // An interrupted call is told as failed before anybody knows how it ends.
    .filter(({ state }) => state !== 'failed')
    .map(({ callId, state }) => `${callId} ${state}`)
    .filter((line) => !recorded.includes(line));
  const found: Violation[] = told.map((line) => ({ rule: 'told-wrong', detail: `${sessionId}: ${line}` }));
  if (recorded.join() === shown.join()) return found;
  const detail = `${sessionId}: recorded ${difference(recorded, shown)}, shown ${difference(shown, recorded)}`;
  return [...found, { rule: 'result-shown', detail }];
}

function toShown({ data }: Event<'tool_result'>): string {
  return `${data.toolCallId} ${data.outcome ?? (data.isError ? 'failed' : 'done')}`;
}

function difference(some: readonly string[], others: readonly string[]): string {
  return `[${some.filter((one) => !others.includes(one))}]`;
}

/** A call that was under way at a kill is unknown for ever. */
function checkKilled(kill: Rows, rows: ReadonlyMap<string, CallRow>): Violation[] {
  return kill.calls
    .filter(({ state }) => state === 'started')
    .map((call) => ({ call, now: rows.get(keyOf(call))?.state }))
    .filter(({ now }) => now !== 'unknown')
    .map(({ call, now }) => ({ rule: 'call-killed', detail: `${keyOf(call)} was started and is ${now}` }));
}
