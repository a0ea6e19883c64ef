// The evidence: what was decided about each call and what came of it, each row bound to the one before.
import { z } from 'zod';
import { Actor, Lineage } from './approval.ts';
import { Effect } from './tool-info.ts';

export const AuditEntry = z.object({
  /** `decision` stands before the call runs, `result` after. */
  kind: z.enum(['decision', 'result']),
  at: z.iso.datetime(),
  sessionId: z.string(),
  turnId: z.string(),
  toolCallId: z.string(),
  tool: z.string(),
  effect: Effect.optional(),
  /** Redacted; `inputHash` is of the whole. */
  input: z.unknown(),
  inputHash: z.string(),
  decision: z.enum(['allow', 'deny', 'expired', 'cancelled']).optional(),
  rule: z.string().optional(),
  actor: Actor,
  approvalId: z.string().optional(),
  grantId: z.string().optional(),
  outcome: z.enum(['done', 'failed', 'unknown']).optional(),
  costUsd: z.number().nullable(),
  lineage: Lineage,
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditRow = AuditEntry.extend({
  seq: z.int().positive(),
  previousHash: z.string(),
  hash: z.string(),
});
export type AuditRow = z.infer<typeof AuditRow>;

export const AuditVerdict = z.object({ ok: z.boolean(), rows: z.int(), brokenAt: z.int().optional() });
export type AuditVerdict = z.infer<typeof AuditVerdict>;
