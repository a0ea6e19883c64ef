// The server itself: health, tokens, logins and the evidence. Part of the one table in routes.ts.
import { z } from 'zod';
import { AuditFilter, AuditRow, AuditVerdict } from '../audit.ts';
import { Finding } from '../doctor.ts';
import { CreatedToken, CreateToken, ListedToken } from '../token.ts';
import { type AnyRoute, listOf, noBody, none } from './route.ts';

export const Health = z.object({
  ok: z.boolean(),
  product: z.literal('Toolyard'),
  version: z.string(),
  pid: z.int(),
  rehearsing: z.boolean(),
  uptimeSeconds: z.number(),
});
export type Health = z.infer<typeof Health>;

export const serverRoutes = {
  health: {
    method: 'GET',
    path: '/api/health',
    summary: 'Is the server there, and is it rehearsing?',
    public: true,
    status: 200,
    params: none,
    query: z.object({}),
    body: noBody,
    response: Health,
  },
  listTokens: {
    method: 'GET',
    path: '/api/tokens',
    summary: 'Tokens, without their secrets',
    status: 200,
    params: none,
    query: none,
    body: noBody,
    response: listOf(ListedToken),
  },
  createToken: {
    method: 'POST',
    path: '/api/tokens',
    summary: 'Make a token; its secret is shown once',
    status: 201,
    params: none,
    query: none,
    body: CreateToken,
    response: CreatedToken,
  },
  revokeToken: {
    method: 'DELETE',
    path: '/api/tokens/:id',
    summary: 'Revoke a token',
    status: 200,
    params: z.object({ id: z.string() }),
    query: none,
    body: noBody,
    response: z.object({ id: z.string() }),
  },
  listAudit: {
    method: 'GET',
    path: '/api/audit',
    summary: 'The evidence, oldest first, or with order=desc newest first; `next` goes into `after`',
    status: 200,
    params: none,
    query: z.strictObject({
      after: z.coerce.number().int().nonnegative().default(0),
      limit: z.coerce.number().int().min(1).max(1_000).default(100),
      order: z.enum(['asc', 'desc']).default('asc'),
      ...AuditFilter.shape,
    }),
    body: noBody,
    response: listOf(AuditRow),
  },
  verifyAudit: {
    method: 'GET',
    path: '/api/audit/verify',
    summary: 'Is the evidence whole?',
    status: 200,
    params: none,
    query: none,
    body: noBody,
    response: AuditVerdict,
  },
  diagnose: {
    method: 'GET',
    path: '/api/doctor',
    summary: 'What is so on this machine and in this home, what is wrong, and how to mend it',
    status: 200,
    params: none,
    query: none,
    body: noBody,
    response: listOf(Finding).extend({ ok: z.boolean() }),
  },
  createLogin: {
    method: 'POST',
    path: '/api/login-links',
    summary: 'A link that logs a browser in, once, within a minute or as many as asked for',
    status: 201,
    params: none,
    query: none,
    body: z.strictObject({ minutes: z.int().min(1).max(60).default(1) }).prefault({}),
    response: z.object({ url: z.string(), expiresAt: z.iso.datetime() }),
  },
} as const satisfies Record<string, AnyRoute>;
