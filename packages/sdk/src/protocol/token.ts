// Who a bearer of a token is: a person, or an agent bound to one role.
import { z } from 'zod';
import { Slug } from './session.ts';

export const TokenId = z.string().regex(/^tok_[0-9a-z]{22}$/, 'not a token id');

export const Token = z.object({
  id: TokenId,
  name: z.string(),
  kind: z.enum(['person', 'agent']),
  /** Of an agent's token: the tools it gets are this role's. */
  role: Slug.optional(),
  /** Of a logged-in browser: works only in requests of the page at `origin`, while the server listens on `port`. */
  browser: z.boolean().optional(),
  origin: z.string().optional(),
  port: z.int().optional(),
  /** What that browser said it is, and where it logged in from: to tell one from another, believed for nothing else. */
  agent: z.string().optional(),
  address: z.string().optional(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().optional(),
  expiresAt: z.iso.datetime().optional(),
});
export type Token = z.infer<typeof Token>;

/** In a list: `current` is the one that the list was asked for with. */
export const ListedToken = Token.extend({ current: z.boolean().optional() });
export type ListedToken = z.infer<typeof ListedToken>;

export const CreateToken = z.strictObject({
  name: z.string().min(1).max(100),
  kind: z.enum(['person', 'agent']).default('agent'),
  role: Slug.optional(),
  expiresInDays: z.number().positive().max(3650).optional(),
});
export type CreateToken = z.infer<typeof CreateToken>;

/** The secret is shown once, here, and kept only as a hash. */
export const CreatedToken = Token.extend({ secret: z.string() });
export type CreatedToken = z.infer<typeof CreatedToken>;
