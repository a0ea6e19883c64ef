// The judge itself: a good history passes, and each planted lie is found.
import type { EventDraft } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { findViolations } from './check-history.ts';
import type { CallRow, Effect, History, Sighting, TurnRow } from './history.ts';

const sessionId = `ses_${'0'.repeat(22)}`;
const turnId = `trn_${'1'.repeat(22)}`;
const other = `trn_${'2'.repeat(22)}`;
const callId = 'call_1';

const drafts: EventDraft[] = [
  { type: 'user_message', data: { content: 'call me', turnId } },
  { type: 'session_status', data: { status: 'running' } },
  { type: 'turn_start', data: { turnId } },
  { type: 'tool_call_start', data: { toolCallId: callId, tool: 'record' } },
  { type: 'tool_result', data: { toolCallId: callId, output: {}, isError: false } },
  { type: 'text_delta', data: { text: `Report: [{"callId":"${callId}","state":"done"}].` } },
  { type: 'turn_end', data: { turnId, outcome: 'completed', costUsd: 0 } },
  { type: 'session_status', data: { status: 'idle' } },
];

function toLog(some: readonly EventDraft[]): Sighting[] {
  return some.map((draft, index) => {
    const event = { sessionId, seq: index + 1, at: '2026-11-15T12:00:00.000Z', ...draft };
    return { sessionId, seq: event.seq, data: JSON.stringify(event) };
  });
}

/** A home where one message was sent, one call ran and nothing went wrong. */
function goodHistory(some: readonly EventDraft[] = drafts): History {
  const effect = { sessionId, turnId, callId };
  return {
    acks: [
      { kind: 'session', sessionId },
      { kind: 'message', sessionId, turnId, seq: 1, text: 'call me' },
    ],
    readers: [toLog(some).slice(0, 6), toLog(some)],
    surprises: [],
    sessions: [{ id: sessionId, status: 'idle' }],
    turns: [{ id: turnId, sessionId, state: 'completed', retryOf: null, code: null }],
    calls: [{ ...effect, state: 'done' }],
    log: new Map([[sessionId, toLog(some)]]),
    ledger: [effect],
    kills: [],
  };
}

function withLog(change: (log: EventDraft[]) => EventDraft[]): History {
  return goodHistory(change([...drafts]));
}

function changed(change: (history: History) => unknown): History {
  const history = goodHistory();
  change(history);
  return history;
}

/** The stored log alone: readers and clients remember the good one. */
function damaged(change: (log: Sighting[]) => Sighting[]): History {
  return changed(({ log }) => log.set(sessionId, change(toLog(drafts))));
}

/** The log with every event of a type so many times. */
function repeated(type: EventDraft['type'], times: number): History {
  return withLog((log) => log.flatMap((draft) => Array(draft.type === type ? times : 1).fill(draft)));
}

function withTurn(patch: Partial<TurnRow>): History {
  return changed(({ turns }) => Object.assign(turns[0] ?? {}, patch));
}

function withCall(patch: Partial<CallRow>): History {
  return changed(({ calls }) => Object.assign(calls[0] ?? {}, patch));
}

function withEffect(patch: Partial<Effect>): History {
  return changed(({ ledger }) => ledger.push({ sessionId, turnId, callId, ...patch }));
}

function withKill(rows: { turn?: Partial<TurnRow>; call?: Partial<CallRow> }): History {
  return changed(({ kills, turns: [turn], calls: [call] }) =>
    kills.push({
      turns: turn && rows.turn ? [{ ...turn, ...rows.turn }] : [],
      calls: call && rows.call ? [{ ...call, ...rows.call }] : [],
    }),
  );
}

const firstAgain = toLog(drafts).slice(0, 1);
const strayTurn: EventDraft = { type: 'turn_start', data: { turnId: other } };
const lostRetry = { kind: 'retry' as const, sessionId, turnId: other };

const lies: Record<string, [History, string[]]> = {
  'an acknowledged session is gone': [
    changed(({ sessions }) => sessions.pop()),
    ['acknowledged-lost', 'acknowledged-lost'],
  ],
  'an acknowledged turn is gone': [changed(({ turns }) => turns.pop()), ['acknowledged-lost']],
  'an acknowledged message has another number': [
    changed(({ acks }) => Object.assign(acks[1] ?? {}, { seq: 2 })),
    ['acknowledged-lost'],
  ],
  'an acknowledged retry is gone': [changed(({ acks }) => acks.push(lostRetry)), ['acknowledged-lost']],
  'the last event is gone': [damaged((log) => log.slice(0, 7)), ['event-lost', 'session-open']],
  'an event in the middle is gone': [
    damaged((log) => log.filter(({ seq }) => seq !== 4)),
    ['gap', 'event-lost', 'event-lost'],
  ],
  'an event is there twice': [damaged((log) => [...firstAgain, ...log]), ['gap', 'message-doubled']],
  'an event changed': [
    damaged((log) => log.map((event) => ({ ...event, data: event.data.replace('record', 'ping') }))),
    ['event-changed', 'event-changed'],
  ],
  'a reader saw an event twice': [
    changed(({ readers }) => readers.push([...firstAgain, ...firstAgain])),
    ['reader-order'],
  ],
  'a reader missed an event': [changed(({ readers }) => readers[0]?.splice(4, 1)), ['reader-order']],
  'a message sent again is there twice': [repeated('user_message', 2), ['message-doubled']],
  'a turn is running for ever': [withTurn({ state: 'running' }), ['turn-open']],
  'a turn is queued for ever': [withTurn({ state: 'queued' }), ['turn-open']],
  'a turn ended twice': [repeated('turn_end', 2), ['turn-end']],
  'a turn never showed its end': [repeated('turn_end', 0), ['turn-end']],
  'a turn shows another end than it has': [withTurn({ state: 'failed' }), ['turn-end']],
  'a turn started out of turn': [withLog((log) => [...log, strayTurn]), ['turn-order']],
  'a turn started inside another': [repeated('turn_start', 2), ['turn-end', 'turn-order', 'turn-order']],
  'a session is running for ever': [
    changed(({ sessions }) => Object.assign(sessions[0] ?? {}, { status: 'running' })),
    ['session-open'],
  ],
  'a session shows for ever that it is running': [withLog((log) => log.slice(0, -1)), ['session-open']],
  'a call ran twice': [withEffect({}), ['effect-doubled']],
  'a call ran again in another attempt': [withEffect({ turnId: other }), ['effect-doubled']],
  'a call ran without a row': [withEffect({ callId: 'call_2' }), ['effect-unrecorded']],
  'a call is done and never ran': [changed(({ ledger }) => ledger.pop()), ['effect-missing']],
  'a call is open for ever': [withCall({ state: 'started' }), ['call-open', 'told-wrong', 'result-shown']],
  'an unknown outcome is shown as done': [withCall({ state: 'unknown' }), ['told-wrong', 'result-shown']],
  'a result is shown twice': [repeated('tool_result', 2), ['result-shown']],
  'a turn that was running at a kill goes on': [withKill({ turn: { state: 'running' } }), ['turn-killed']],
  'a turn that was queued at a kill never ran': [
    withKill({ turn: { id: other, state: 'queued' } }),
    ['turn-forgotten'],
  ],
  'a call that was under way at a kill is done': [withKill({ call: { state: 'started' } }), ['call-killed']],
  'an answer came that no kill explains': [changed(({ surprises }) => surprises.push('500')), ['surprise']],
};

describe('the judge of the crash tests', () => {
  test('finds nothing wrong with a good history', () => {
    expect(findViolations(goodHistory())).toEqual([]);
  });

  test.each(Object.entries(lies))('finds out that %s', (_, [history, rules]) => {
    expect(findViolations(history).map(({ rule }) => rule)).toEqual(rules);
  });
});
