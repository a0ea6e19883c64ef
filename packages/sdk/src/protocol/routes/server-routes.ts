// The server itself: health, tokens, logins, the evidence, models, usage, configuration, backups and the interface. Part
// of the one table in routes.ts.
import { z } from 'zod';
import { AuditFilter, AuditRow, AuditVerdict } from '../audit.ts';
import { ChangeConfig, ConfigView } from '../config/config-view.ts';
import { ModelInfo } from '../config/model.ts';
import { CreatedToken, CreateToken, ListedToken } from '../token.ts';
import { UsageBy, UsageGroup, UsageStep, UsageSum } from '../usage.ts';
import { type AnyRoute, listOf, noBody, none } from './route.ts';

/** What the doctor says: one finding per thing that it looked at. */
export const Finding = z.object({
  name: z.string(),
  state: z.enum(['ok', 'warn', 'fail']),
  message: z.string(),
  /** What to do about it. */
  fix: z.string().optional(),
});
export type Finding = z.infer<typeof Finding>;

export const Health = z.object({
  ok: z.boolean(),
  product: z.literal('Toolyard'),
  version: z.string(),
  pid: z.int(),
  rehearsing: z.boolean(),
  uptimeSeconds: z.number(),
});
export type Health = z.infer<typeof Health>;

export const Backup = z.object({
  /** On the machine of the server. */
  path: z.string(),
  bytes: z.int().nonnegative(),
  createdAt: z.iso.datetime(),
  /** Of the Toolyard that made it. */
  version: z.string(),
  /** The number of the database's schema. */
  schema: z.int().nonnegative(),
  /** How many are in it. */
  files: z.int().nonnegative(),
  /** What of the home is not in it: symbolic links and the like. */
  left: z.array(z.string()),
  /** Older backups that made room. */
  removed: z.array(z.string()),
});
export type Backup = z.infer<typeof Backup>;

export const serverRoutes = {
  health: {
    method: 'GET',
    path: '/api/health',
    summary: 'Health of the server, and whether it rehearses',
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
    summary: 'Create a token; its secret is shown once',
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
    summary: 'The audit, oldest first, or with order=desc newest first; pass `next` as `after`',
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
    summary: 'Verify that the audit is complete and unchanged',
    status: 200,
    params: none,
    query: none,
    body: noBody,
    response: AuditVerdict,
  },
  diagnose: {
    method: 'GET',
    path: '/api/doctor',
    summary: 'The state of this machine and this home, what is wrong, and how to fix it',
    status: 200,
    params: none,
    query: none,
    body: noBody,
    response: listOf(Finding).extend({ ok: z.boolean() }),
  },
  createLogin: {
    method: 'POST',
    path: '/api/login-links',
    summary: 'A link that logs in a browser once, within a minute or the requested number of minutes',
    status: 201,
    params: none,
    query: none,
    body: z.strictObject({ minutes: z.int().min(1).max(60).default(1) }).prefault({}),
    response: z.object({ url: z.string(), expiresAt: z.iso.datetime() }),
  },
  logIn: {
    method: 'POST',
    path: '/api/login',
    summary: 'Trade the code of a login link, once, for a token of the page that asks',
    public: true,
    status: 201,
    params: none,
    query: none,
    body: z.strictObject({ code: z.string().max(200) }),
    response: CreatedToken,
  },
  listModels: {
    method: 'GET',
    path: '/api/models',
    summary: 'Models of every provider: context window, price, and whether they can be used now',
    status: 200,
    params: none,
    query: z.strictObject({ provider: z.string().max(64).optional() }),
    body: noBody,
    response: listOf(ModelInfo).extend({
      /** The day the list of prices is of. */
      pricesAsOf: z.iso.date(),
      /** The scripted model answers for every one of them. */
      rehearsing: z.boolean(),
    }),
  },
  readUsage: {
    method: 'GET',
    path: '/api/usage',
    summary: 'Tokens and cost of the turns that ended in a time range, most expensive first; days in order',
    status: 200,
    params: none,
    query: z.strictObject({
      /** Default: 30 days before `to`. */
      from: z.iso.datetime({ offset: true }).optional(),
      /** Not included. Default: now. */
      to: z.iso.datetime({ offset: true }).optional(),
      by: UsageBy.default('day'),
      step: UsageStep.default('day'),
      /** Minutes by which the asker's clock is ahead of UTC. */
      utcOffset: z.coerce.number().int().min(-840).max(840).default(0),
      /** Groups; what is left of the others is `rest`. Days have no such bound. */
      limit: z.coerce.number().int().min(1).max(50).default(8),
    }),
    body: noBody,
    response: listOf(UsageGroup).extend({
      from: z.iso.datetime(),
      to: z.iso.datetime(),
      total: UsageSum,
      /** All groups that are not in `items`, together. */
      rest: UsageSum.optional(),
    }),
  },
  readConfig: {
    method: 'GET',
    path: '/api/config',
    summary: 'Every key of the configuration: its value, its source, and whether it can be changed here',
    status: 200,
    params: none,
    query: none,
    body: noBody,
    response: ConfigView,
  },
  changeConfig: {
    method: 'PATCH',
    path: '/api/config',
    summary: 'Change keys in config.yaml: all of them, or none if one is refused',
    status: 200,
    params: none,
    query: none,
    body: ChangeConfig,
    response: ConfigView,
  },
  createBackup: {
    method: 'POST',
    path: '/api/backup',
    summary: 'Back up the home into one file while the server runs; answers when the file is complete',
    status: 201,
    params: none,
    query: none,
    body: z.strictObject({
      /** Absolute, of a file that does not exist (default: a new one in the home's folder `backups`). */
      path: z.string().min(1).max(4_096).optional(),
    }),
    response: Backup,
  },
  readOpenApi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This interface as an OpenAPI 3.1 document',
    status: 200,
    params: none,
    query: none,
    body: noBody,
    response: z.record(z.string(), z.unknown()),
  },
} as const satisfies Record<string, AnyRoute>;
