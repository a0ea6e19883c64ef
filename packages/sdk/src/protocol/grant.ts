// A remembered permission: listed, expiring, revocable, never inherited.
import { z } from 'zod';
import { Actor } from './approval.ts';
import { SessionId, Slug } from './session.ts';

export const GrantId = z.string().regex(/^grt_[0-9a-z]{22}$/, 'not a grant id');

/** How long a grant holds. */
export const grantDays = { session: 7, always: 90 } as const;

export const Grant = z.object({
  id: GrantId,
  tool: z.string(),
  /** What "the same call" means. */
  key: z.string(),
  scope: z.enum(['session', 'always']),
  /** Of a `session` grant. */
  sessionId: SessionId.optional(),
  /** Of an `always` grant: this role in this workspace. */
  role: Slug.optional(),
  workspace: z.string().optional(),
  owner: Actor,
  reason: z.string().optional(),
  /** The tool as it was when the grant was given; a changed tool asks again. */
  schemaHash: z.string(),
  uses: z.int().nonnegative(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().optional(),
  expiresAt: z.iso.datetime(),
});
export type Grant = z.infer<typeof Grant>;

/** A grant as it is listed: `stale` when the tool has changed since. */
export const ListedGrant = Grant.extend({ stale: z.boolean() });
export type ListedGrant = z.infer<typeof ListedGrant>;
