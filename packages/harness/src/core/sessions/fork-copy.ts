// The log of a fork, made of its original's: the same story under numbers of its own. Pure. Left out is what belongs to
// the original alone: what it cost, what people were asked, calls that others made in it, and how it streamed.
import type { Event, EventDraft } from '@toolyard/sdk';

const mergeUpToChars = 16_384;

export type Copied = EventDraft & { at: string };

export interface ForkCopy {
  /** What becomes of the next events of the original, in order. */
  take(events: readonly Event[]): Copied[];
  /** The last turn that is kept has ended, at this event of the original. */
  endedAt(): number | undefined;
  /** What was held back, to be merged with what came next. */
  rest(): Copied[];
}

/** `turnIds`: the turns that are kept, by their old names. */
export function createForkCopy(turnIds: ReadonlyMap<string, string>): ForkCopy {
  const open = new Set(turnIds.keys());
  const kept: Kept = { turnIds, otherCalls: new Set() };
  let held: Copied | undefined;
  let last: number | undefined;

  function add(to: Copied[], next: Copied): void {
    const merged = held && merge(held, next);
    if (held && !merged) to.push(held);
    held = merged ?? next;
  }

  return {
    take(events) {
      const copied: Copied[] = [];
      for (const event of events) {
        if (open.size === 0) break;
        const draft = toCopied(event, kept);
        if (draft) add(copied, { ...draft, at: event.at });
        if (event.type === 'turn_end' && open.delete(event.data.turnId)) last = event.seq;
      }
      return copied;
    },
    endedAt: () => (open.size === 0 ? (last ?? 0) : undefined),
    rest: () => (held ? [held] : []),
  };
}

interface Kept {
  turnIds: ReadonlyMap<string, string>;
  /** Calls that others made in the original, as far as it was read. */
  otherCalls: Set<string>;
}

/** What an event is in the fork; nothing when it is left out. */
function toCopied(event: Event, { turnIds, otherCalls }: Kept): EventDraft | undefined {
  switch (event.type) {
    case 'user_message':
    case 'turn_start':
    case 'turn_end': {
      if (event.type === 'turn_start' && event.data.toolCallId) otherCalls.add(event.data.toolCallId);
      const turnId = turnIds.get(event.data.turnId);
      return turnId === undefined ? undefined : toRenamed(event, turnId);
    }
    case 'tool_call_start':
    case 'tool_call_end':
    case 'tool_result':
      return otherCalls.has(event.data.toolCallId) ? undefined : toDraft(event);
    case 'text_delta':
    case 'thinking_delta':
    case 'error':
    case 'raw':
      return toDraft(event);
    case 'tool_call_delta':
    case 'tool_progress':
    case 'grant_used':
    case 'approval_required':
    case 'approval_resolved':
    case 'question_required':
    case 'question_resolved':
    case 'agent_update':
    case 'usage':
    case 'session_status':
      return undefined;
  }
  event satisfies never;
}

function toDraft({ type, data }: Event): EventDraft {
  // Type and data are of one event.
  return { type, data } as EventDraft;
}

/** What a turn cost was paid in the original. */
function toRenamed(event: Event<'user_message' | 'turn_start' | 'turn_end'>, turnId: string): EventDraft {
  if (event.type === 'user_message') return { type: event.type, data: { ...event.data, turnId } };
  if (event.type === 'turn_start') return { type: event.type, data: { turnId } };
  return { type: event.type, data: { ...event.data, turnId, costUsd: 0 } };
}

function merge(held: Copied, next: Copied): Copied | undefined {
  if (held.type !== 'text_delta' && held.type !== 'thinking_delta') return undefined;
  if (next.type !== held.type) return undefined;
  const text = held.data.text + next.data.text;
  return text.length > mergeUpToChars ? undefined : { ...held, data: { text } };
}
