// Models that can be named. Part of the one table in routes.ts.
import { z } from 'zod';
import { ModelInfo } from '../config/model.ts';
import { type AnyRoute, listOf, noBody, none } from './route.ts';

export const modelRoutes = {
  listModels: {
    method: 'GET',
    path: '/api/models',
    summary: 'Models of every provider: window, price, and whether they can be used now',
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
} as const satisfies Record<string, AnyRoute>;
