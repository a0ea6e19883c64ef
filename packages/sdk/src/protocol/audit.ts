// The evidence: what was decided about each call and what came of it, and what people changed about who may do what.
// Each row is bound to the one before.
import { z } from 'zod';
import { Actor, Lineage } from './approval.ts';
import { Effect } from './tool-info.ts';

export const AuditEntry = z.object({
  /** `decision` stands before the call runs, `result` after. `change` is about no call, so it has nothing of one. */
  kind: z.enum(['decision', 'result', 'change']),
  /** What somebody changed, and to what. */
  change: z
    .enum([
      'mode_changed',
      'session_deleted',
      'workspace_trusted',
      'grant_revoked',
      'token_created',
      'token_revoked',
      'config_changed',
      'backup_created',
      'agent_drafted',
      'agent_killed',
      'task_created',
      'task_closed',
    ])
    .optional(),
  subject: z.string().optional(),
  at: z.iso.datetime(),
  sessionId: z.string().optional(),
  turnId: z.string().optional(),
  toolCallId: z.string().optional(),
  tool: z.string().optional(),
  effect: Effect.optional(),
  /** Redacted; `inputHash` is of the whole. */
  input: z.unknown().optional(),
  inputHash: z.string().optional(),
  decision: z.enum(['allow', 'deny', 'expired', 'cancelled']).optional(),
  rule: z.string().optional(),
  actor: Actor,
  approvalId: z.string().optional(),
  grantId: z.string().optional(),
  outcome: z.enum(['done', 'failed', 'unknown']).optional(),
  costUsd: z.number().nullable(),
  lineage: Lineage.optional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditRow = AuditEntry.extend({
  seq: z.int().positive(),
  previousHash: z.string(),
  hash: z.string(),
});
export type AuditRow = z.infer<typeof AuditRow>;

/** Which rows to look for; each narrows the others. */
export const AuditFilter = z.object({
  kind: AuditEntry.shape.kind.optional(),
  decision: AuditEntry.shape.decision,
  tool: z.string().max(200).optional(),
  sessionId: z.string().max(64).optional(),
  /** The kind of who did it. */
  actor: Actor.shape.kind.optional(),
  /** Words that stand in any of a row's values, whatever their case. */
  q: z.string().min(1).max(200).optional(),
});
export type AuditFilter = z.infer<typeof AuditFilter>;

export const AuditVerdict = z.object({ ok: z.boolean(), rows: z.int(), brokenAt: z.int().optional() });
export type AuditVerdict = z.infer<typeof AuditVerdict>;
