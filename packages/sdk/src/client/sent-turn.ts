// One turn, as whoever began it sees it: its events and its answer. It is read from the log, so it may be read late,
// twice and across broken lines; nobody has to read it.

import { type Failure, ToolyardError } from '../protocol/error.ts';
import { type Event, type EventData, isDeletion, type TurnEnd } from '../protocol/event.ts';
import type { Client } from './client.ts';
import { createTurnFilter } from './turn-events.ts';

export interface SentTurn extends AsyncIterable<Event> {
  /** Resolves once the message is durable, rejects when it was refused. Reading the turn rejects then, too. */
  readonly accepted: Promise<{ turnId: string; seq: number }>;
  /** What the agent said past its last tool call. Rejects with the reason when the turn does not complete. */
  text(): Promise<string>;
}

/** A turn that was begun, and where it is. */
export interface BegunTurn {
  sessions: Pick<Client['sessions'], 'events' | 'interrupt'>;
  sessionId: string;
  accepted: SentTurn['accepted'];
  /** Interrupts the turn; its end is read as that of any other. */
  signal?: AbortSignal | undefined;
}

export function createSentTurn(begun: BegunTurn): SentTurn {
  const { accepted, signal } = begun;
  // Whoever reads the turn hears of it.
  accepted.catch(() => {});
  const interrupt = () => void interruptOnce(begun).catch(() => {});
  if (signal?.aborted) interrupt();
  else signal?.addEventListener('abort', interrupt, { once: true });

  async function* read(): AsyncGenerator<Event> {
    for await (const event of readTurn(begun)) {
      if (event.type === 'turn_end') signal?.removeEventListener('abort', interrupt);
      yield event;
    }
  }

  return { accepted, [Symbol.asyncIterator]: read, text: () => toAnswer(read()) };
}

async function* readTurn({ sessions, sessionId, accepted }: BegunTurn): AsyncGenerator<Event> {
  const { turnId, seq } = await accepted;
  const isOwn = createTurnFilter(turnId);
  for await (const event of sessions.events(sessionId, { after: Math.max(0, seq - 1) })) {
    if (isOwn(event)) yield event;
    if (event.type === 'turn_end' && event.data.turnId === turnId) return;
    if (isDeletion(event))
      throw new ToolyardError('session_not_found', 'The session was deleted before the turn ended.');
  }
  throw new ToolyardError('closed', 'This yard was closed before the turn ended. Open it again, then retry.');
}

/** Stops this turn and no other: before it has begun, the wish waits. */
async function interruptOnce(begun: BegunTurn): Promise<void> {
  for await (const { type } of readTurn(begun)) {
    if (type === 'turn_end') return;
    if (type !== 'turn_start') continue;
    await begun.sessions.interrupt(begun.sessionId);
    return;
  }
}

async function toAnswer(events: AsyncIterable<Event>): Promise<string> {
  let answer = '';
  for await (const event of events) {
    if (event.type === 'text_delta') answer += event.data.text;
    else if (event.type === 'tool_call_start') answer = '';
    else if (event.type === 'turn_end') requireCompleted(event.data);
  }
  return answer;
}

function requireCompleted({ outcome, error }: EventData<'turn_end'>): void {
  if (outcome === 'completed') return;
  const { code, message, data } = error ?? withoutReason[outcome];
  throw new ToolyardError(code, message, data ? { data } : {});
}

const withoutReason: Record<Exclude<TurnEnd, 'completed'>, Failure> = {
  failed: { code: 'internal', message: 'The turn failed.' },
  interrupted: { code: 'interrupted', message: 'The turn was interrupted.' },
  limit: { code: 'step_limit', message: 'The turn reached a limit.' },
};
