// A durable question to a person about one tool call, and what a person may answer.
import { z } from 'zod';
import { SessionId, TurnId } from './session.ts';
import { Effect } from './tool-info.ts';

export const ApprovalId = z.string().regex(/^apr_[0-9a-z]{22}$/, 'not an approval id');

export const Risk = z.enum(['low', 'medium', 'high']);
export type Risk = z.infer<typeof Risk>;

export const ApprovalState = z.enum(['pending', 'allowed', 'denied', 'expired', 'cancelled']);
export type ApprovalState = z.infer<typeof ApprovalState>;

/** How far an allow reaches: this call, the same call in this session, the same call of this role from now on. */
export const Scope = z.enum(['once', 'session', 'always']);
export type Scope = z.infer<typeof Scope>;

/** Who did something, and from where. */
export const Actor = z.object({
  kind: z.enum(['person', 'agent', 'system']),
  id: z.string(),
  via: z.string(),
});
export type Actor = z.infer<typeof Actor>;

/** Where in a run a session stands. */
export const Lineage = z.object({
  rootSessionId: SessionId,
  parentAgentId: z.string().optional(),
  /** The agent itself, when it is one. */
  agentId: z.string().optional(),
  depth: z.int().nonnegative(),
});
export type Lineage = z.infer<typeof Lineage>;

export const Approval = z.object({
  id: ApprovalId,
  sessionId: SessionId,
  rootSessionId: SessionId,
  turnId: TurnId,
  toolCallId: z.string(),
  tool: z.string(),
  effect: Effect,
  risk: Risk,
  /** The parsed input: exactly what would run. */
  input: z.unknown(),
  inputHash: z.string(),
  schemaHash: z.string(),
  /** What the same call means, should a person allow more than this one. */
  grantKey: z.string(),
  preview: z.string().optional(),
  /** Why it is asked. */
  rule: z.string(),
  /** How far an allow may reach. Absent in those asked before it could be said. */
  scopes: z.array(Scope).optional(),
  state: ApprovalState,
  scope: Scope.optional(),
  reason: z.string().optional(),
  decidedBy: Actor.optional(),
  decidedAt: z.iso.datetime().optional(),
  lineage: Lineage,
  createdAt: z.iso.datetime(),
  /** `null` once it is parked: it waits without an end. */
  expiresAt: z.iso.datetime().nullable(),
  /** What happens at `expiresAt`: it expires and the model is told, or it is parked and goes on waiting. */
  unattended: z.enum(['deny', 'park']),
});
export type Approval = z.infer<typeof Approval>;

/** How far an allow of it may reach, from the least to the most. Every surface offers these and no others. */
export function scopesOf({ scopes = ['once'] }: Pick<Approval, 'scopes'>): readonly Scope[] {
  return scopes;
}

/** In a list. Whoever decides on one that was shortened looks at the whole one first. */
export const ListedApproval = Approval.extend({
  /** Characters of the whole input. There when what is long about it was cut; the input may then be cut JSON. */
  shortenedFrom: z.int().optional(),
});
export type ListedApproval = z.infer<typeof ListedApproval>;

export const AnswerApproval = z.strictObject({
  decision: z.enum(['allow', 'deny']),
  scope: Scope.optional(),
  reason: z.string().max(2_000).optional(),
});
export type AnswerApproval = z.infer<typeof AnswerApproval>;
