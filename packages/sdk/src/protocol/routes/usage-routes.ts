// What was used. Part of the one table in routes.ts.
import { z } from 'zod';
import { UsageBy, UsageGroup, UsageStep, UsageSum } from '../usage.ts';
import { type AnyRoute, listOf, noBody, none } from './route.ts';

export const usageRoutes = {
  readUsage: {
    method: 'GET',
    path: '/api/usage',
    summary:
      'Tokens and cost of the turns that ended in a span of time, most costly first; days in their order',
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
} as const satisfies Record<string, AnyRoute>;
