// The log's vocabulary: every fact a session can record, each with its one schema.
import { z } from 'zod';
import { Agent } from './agent.ts';
import { Actor, Approval, ApprovalId, ApprovalState, Lineage, Scope } from './approval.ts';
import { Content } from './content/content.ts';
import { Failure } from './error.ts';
import { Grant, GrantId } from './grant.ts';
import { Answer, Question, QuestionId, QuestionState } from './question.ts';
import { PermissionMode, SessionId, SessionStatus, TurnId } from './session.ts';

const toolCallId = z.string();

export const TurnEnd = z.enum(['completed', 'failed', 'interrupted', 'limit']);
export type TurnEnd = z.infer<typeof TurnEnd>;

const payloads = {
  user_message: z.object({ content: Content, turnId: TurnId }),
  /** With `toolCallId`, the turn is that one call, made by somebody else than the session's agent and beside its turns. */
  turn_start: z.object({ turnId: TurnId, toolCallId: toolCallId.optional() }),
  text_delta: z.object({ text: z.string() }),
  thinking_delta: z.object({ text: z.string() }),
  tool_call_start: z.object({ toolCallId, tool: z.string() }),
  tool_call_delta: z.object({ toolCallId, delta: z.string() }),
  tool_call_end: z.object({ toolCallId, input: z.unknown() }),
  tool_result: z.object({
    toolCallId,
    output: z.unknown(),
    isError: z.boolean(),
    truncated: z.boolean().optional(),
    /** Where the whole of a truncated one is kept. */
    outputId: z.string().optional(),
    outcome: z.literal('unknown').optional(),
  }),
  tool_progress: z.object({
    toolCallId,
    message: z.string().optional(),
    done: z.number().optional(),
    total: z.number().optional(),
  }),
  /** The call runs because of this grant. */
  grant_used: z.object({ toolCallId, grantId: GrantId, scope: Grant.shape.scope }),
  approval_required: z.object({ approval: Approval }),
  approval_resolved: z.object({
    approvalId: ApprovalId,
    state: ApprovalState,
    scope: Scope.optional(),
    decidedBy: Actor.optional(),
  }),
  question_required: z.object({ question: Question }),
  question_resolved: z.object({ questionId: QuestionId, state: QuestionState, answer: Answer.optional() }),
  /** In the log of whoever drafted it, and of the root. */
  agent_update: z.object({ agent: Agent }),
  usage: z.object({
    inputTokens: z.int().nonnegative(),
    outputTokens: z.int().nonnegative(),
    cacheReadTokens: z.int().nonnegative().optional(),
    cacheWriteTokens: z.int().nonnegative().optional(),
    costUsd: z.number().nullable(),
    /** What budgets count for a step of which nobody has said what it used. */
    estimatedUsd: z.number().nonnegative().optional(),
  }),
  session_status: z.object({
    status: SessionStatus,
    /** When one of them was changed. */
    mode: PermissionMode.optional(),
    model: z.string().optional(),
    /** The session was deleted: no event comes after this one, and none before it can be read any more. */
    deleted: z.literal(true).optional(),
  }),
  raw: z.object({ engine: z.string(), message: z.unknown() }),
  error: Failure,
  turn_end: z.object({
    turnId: TurnId,
    outcome: TurnEnd,
    error: Failure.optional(),
    costUsd: z.number().nullable(),
    /** It has never begun: its message was taken back. */
    withdrawn: z.literal(true).optional(),
  }),
};

export type EventType = keyof typeof payloads;
export type EventData<T extends EventType> = z.infer<(typeof payloads)[T]>;

/** An event before the log has numbered it. */
export type EventDraft<T extends EventType = EventType> = {
  [K in T]: { type: K; data: EventData<K> };
}[T];

/** One numbered fact in a session's log. `seq` starts at 1 and has no gaps. */
export type Event<T extends EventType = EventType> = EventDraft<T> & {
  sessionId: string;
  seq: number;
  at: string;
  /** Of a drafted agent's session; a session without it is the root of its own runs. */
  lineage?: Lineage;
};

/** An event with its place in the log of all sessions: positions grow, and are never given twice. */
export interface PlacedEvent {
  position: number;
  event: Event;
}

/** The last event of a session that was deleted. */
export function isDeletion(event: Event): boolean {
  return event.type === 'session_status' && event.data.deleted === true;
}

const Envelope = z.object({
  sessionId: SessionId,
  seq: z.int().positive(),
  at: z.iso.datetime(),
  lineage: z.exactOptional(Lineage),
  type: z.string(),
  data: z.unknown(),
});

/** Every event, for who describes or checks them; what comes off a wire is read by `parseEvent`. */
export const Event = toUnion();

function toUnion(): z.ZodType<Event> {
  const [first, ...rest] = Object.entries(payloads).map(([type, data]) =>
    Envelope.extend({ type: z.literal(type), data }),
  );
  if (!first) throw new Error('there are no events');
  // The table has a payload for each type; the compiler cannot follow it through the loop.
  return z.discriminatedUnion('type', [first, ...rest]) as unknown as z.ZodType<Event>;
}

/** Reads an event off the wire. A type this version does not know becomes `raw`, so that readers keep their place. */
export function parseEvent(wire: unknown): Event {
  const { type, data, ...envelope } = Envelope.parse(wire);
  if (!isEventType(type)) {
    return { ...envelope, type: 'raw', data: { engine: 'unknown', message: { type, data } } };
  }
  // The payload schema was picked by `type`, which the compiler cannot follow through the table.
  return { ...envelope, type, data: payloads[type].parse(data) } as Event;
}

function isEventType(type: string): type is EventType {
  return Object.hasOwn(payloads, type);
}
