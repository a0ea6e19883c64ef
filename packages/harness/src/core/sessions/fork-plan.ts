// Which turns a fork keeps. The unit is a message with all attempts to answer it: what was stored for them cannot be
// told apart, and half an answer would be one that nobody gave.
import { type Session, type StoreReads, ToolyardError, type TurnHead } from '@toolyard/sdk';
import { readBackwards } from '../log/log-pages.ts';
import { isDirectTurn, isOfConversation } from '../session-records/direct-turns.ts';

export interface ForkMessage {
  originTurnId: string;
  sentAt: string;
  isAnswered: boolean;
}

export interface ForkPlan {
  /** Every attempt that is kept, oldest first. */
  turns: TurnHead[];
  kept: ForkMessage[];
  leftOut: ForkMessage[];
}

/** Those that answer a message, or that an agent began by itself; oldest first. */
export async function findConversation(reads: StoreReads, id: string): Promise<TurnHead[]> {
  const found: TurnHead[] = [];
  for (const head of await reads.turns(id)) {
    if (head.state === 'withdrawn') continue;
    // Of one without a message, the content is short.
    const turn = isDirectTurn(head) ? await reads.turn(head.id) : { seq: head.seq, content: '' };
    if (turn && isOfConversation(turn)) found.push(head);
  }
  return found;
}

/** `turns` in their order; `until`, the last turn that is kept, or none. Throws `session_busy`. */
export function toForkPlan(turns: readonly TurnHead[], until: string | undefined): ForkPlan {
  const last = turns.find(({ id }) => id === until)?.originTurnId;
  const messages = [...Map.groupBy(turns, ({ originTurnId }) => originTurnId)];
  const end = messages.findIndex(([originTurnId]) => originTurnId === last) + 1;
  const kept = messages.slice(0, end);
  const attempts = kept.flatMap(([, each]) => each);
  const open = attempts.find(({ state }) => state === 'queued' || state === 'running');
  if (open) throw busy(open);
  return {
    turns: attempts,
    kept: kept.map(toMessage),
    leftOut: messages.slice(end).map(toMessage),
  };
}

function toMessage([originTurnId, attempts]: [string, TurnHead[]]): ForkMessage {
  const [first] = attempts;
  const isAnswered = attempts.at(-1)?.state === 'completed';
  return { originTurnId, sentAt: first?.createdAt ?? '', isAnswered };
}

/**
 * The turn that an event is in: that of a message its own, else the one under way then, else the one that was about to
 * begin, else the last before it. `turnIds`: the turns that answer messages.
 */
export async function findMessageAt(
  reads: StoreReads,
  { id, lastSeq }: Session,
  { seq, turnIds }: { seq: number; turnIds: ReadonlySet<string> },
): Promise<string | undefined> {
  if (seq > lastSeq) throw notThere(seq, lastSeq);
  /** Said after the last turn had ended: what comes next is the start of this one. */
  let waiting: string | undefined;
  for await (const event of readBackwards(reads, id, seq)) {
    if (event.type === 'user_message' && turnIds.has(event.data.turnId)) {
      if (event.seq === seq) return event.data.turnId;
      waiting = event.data.turnId;
    }
    const isEdge = event.type === 'turn_start' || event.type === 'turn_end';
    if (!isEdge || !turnIds.has(event.data.turnId)) continue;
    return event.type === 'turn_end' && event.seq < seq && waiting ? waiting : event.data.turnId;
  }
  return waiting;
}

function notThere(seq: number, last: number): ToolyardError {
  const hint = last === 0 ? 'It has no events yet.' : `Use a number of at most ${last}.`;
  return new ToolyardError('message_not_found', `This session has no event ${seq}. ${hint}`, {
    data: { lastSeq: last },
  });
}

function busy({ seq }: TurnHead): ToolyardError {
  const earlier = `fork before its message, at ${Math.max(0, seq - 1)}`;
  const message = `The turn to fork at has not ended. Wait for it, interrupt it, or ${earlier}.`;
  return new ToolyardError('session_busy', message, { data: { seq } });
}
