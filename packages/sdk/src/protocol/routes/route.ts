// What a route is, and the small schemas that routes share.
import { z } from 'zod';
import { SessionId, TurnId } from '../session.ts';

export interface Route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType> {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Hono-style path; each `:name` is a key of `params`. */
  path: string;
  summary: string;
  /** Answers without a token. */
  public?: boolean;
  /** Answers with a stream of events (SSE): always, or when the caller's `Accept` asks for it. */
  stream?: 'always' | 'accept';
  /** Answers with a file of one of these media types. */
  files?: readonly string[];
  /** Bytes of its body, where that is not what every route takes. */
  maxBodyBytes?: number;
  /** Status of a good answer; 101 is that of a WebSocket. */
  status: 101 | 200 | 201 | 202;
  params: P;
  query: Q;
  body: B;
  response: R;
}

// biome-ignore lint/suspicious/noExplicitAny: the one place that means "a route of any shape"; each use infers its own.
export type AnyRoute = Route<any, any, any, any>;

/** Paging of a list, past the thing that `cursor` names: the last one of the page before. */
export function pageAfter<Cursor extends z.ZodType>(cursor: Cursor) {
  return { limit: z.coerce.number().int().min(1).max(500).default(50), after: cursor.optional() };
}

export const none = z.strictObject({});
export const noBody = z.undefined();
export const inSession = z.object({ id: SessionId });
export const accepted = z.object({ turnId: TurnId, seq: z.int().nonnegative() });

/** Every list answers this shape; `next` is the cursor of the following page. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), next: z.string().optional() });
}
