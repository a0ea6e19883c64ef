// A durable question from an agent to its person: a choice, or free words.
import { z } from 'zod';
import { RunLimits } from './agent.ts';
import { Actor, Lineage } from './approval.ts';
import { PermissionMode, SessionId, TurnId } from './session.ts';

export const QuestionId = z.string().regex(/^qst_[0-9a-z]{22}$/, 'not a question id');

export const QuestionState = z.enum(['pending', 'answered', 'expired', 'cancelled']);
export type QuestionState = z.infer<typeof QuestionState>;

export const QuestionOption = z.strictObject({
  label: z.string().min(1).max(200),
  description: z.string().max(2_000).optional(),
  /** Choosing it takes the session out of plan mode, into this one. */
  leavesPlanFor: PermissionMode.extract(['default', 'acceptEdits']).optional(),
});
export type QuestionOption = z.infer<typeof QuestionOption>;

/** What an agent may ask. Without options the answer is free text. */
export const Asked = z.strictObject({
  text: z.string().min(1).max(4_000),
  /** What it is about, when that is long: a plan, in Markdown. */
  body: z.string().max(200_000).optional(),
  options: z.array(QuestionOption).max(20).optional(),
  multiple: z.boolean().optional(),
  /** Words of the person's own are an answer too, beside the options. */
  ownWords: z.boolean().optional(),
  /** The call that asks. */
  toolCallId: z.string().optional(),
});
export type Asked = z.infer<typeof Asked>;

/** The words of the person, or the labels they chose. */
export const Answer = z.union([
  z.string().min(1).max(20_000),
  z.array(z.string().min(1).max(200)).min(1).max(20),
]);
export type Answer = z.infer<typeof Answer>;

/** A limit of a run, or of the budget that an agent in it has for itself. */
export const AskedLimit = z.strictObject({
  runId: TurnId,
  limit: RunLimits.keyof(),
  agentId: z.string().optional(),
  /** What it was when it was asked about: the answer is about no other. */
  max: z.number(),
  /** How much more a yes gives, and to whom: by id, what an agent's budget was, and of the run what was added before. */
  raise: z.strictObject({ by: z.number(), from: z.record(z.string(), z.number()) }),
});
export type AskedLimit = z.infer<typeof AskedLimit>;

export const Question = Asked.extend({
  id: QuestionId,
  sessionId: SessionId,
  rootSessionId: SessionId,
  turnId: TurnId,
  state: QuestionState,
  answer: Answer.optional(),
  decidedBy: Actor.optional(),
  decidedAt: z.iso.datetime().optional(),
  lineage: Lineage,
  createdAt: z.iso.datetime(),
  /** `null` once it is parked: it waits without an end. */
  expiresAt: z.iso.datetime().nullable(),
  /** What happens at `expiresAt`. Absent in those asked before it could be said: they expire. */
  unattended: z.enum(['deny', 'park']).optional(),
  /** The limit that it is about. It is asked once, for all who meet it. */
  limit: AskedLimit.optional(),
  /** Turns of others that go on with its answer. */
  sharedBy: z.array(TurnId).optional(),
  /** Of all that waited for it, the turns that have gone on. The others do after a restart. */
  heardBy: z.array(TurnId).optional(),
});
export type Question = z.infer<typeof Question>;
