// Search. Part of the one table in routes.ts.
import { z } from 'zod';
import { SearchHit } from '../search.ts';
import { type AnyRoute, listOf, noBody, none } from './route.ts';

export const searchRoutes = {
  search: {
    method: 'GET',
    path: '/api/search',
    summary: 'What holds all words of `q`: titles, then messages, answers and calls, newest first',
    status: 200,
    params: none,
    query: z.strictObject({
      /** Words and nothing else: no character in it has a meaning of its own. */
      q: z.string().max(1_000, 'use at most 1000 characters'),
      limit: z.coerce.number().int().min(1).max(100).default(20),
      after: z
        .string()
        .regex(/^-?\d{1,15}$/, 'use the `next` of the page before')
        .optional(),
    }),
    body: noBody,
    response: listOf(SearchHit).extend({
      /** The index is still being made of what was there before it: there may be more. */
      indexing: z.literal(true).optional(),
    }),
  },
} as const satisfies Record<string, AnyRoute>;
