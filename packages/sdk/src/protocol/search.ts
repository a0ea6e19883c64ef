// Full-text search over all sessions.
import { z } from 'zod';
import { SessionId } from './session.ts';

/** A piece of a text; `hit` marks what was looked for. Plain text: whoever shows it must not take it for HTML. */
export const SnippetPart = z.object({ text: z.string(), hit: z.literal(true).optional() });
export type SnippetPart = z.infer<typeof SnippetPart>;

export const SearchHit = z.object({
  sessionId: SessionId,
  /** Of the session. */
  title: z.string(),
  cwd: z.string(),
  /** What was found: the session's title, a person's words, the agent's, or a call and its input. */
  kind: z.enum(['title', 'user', 'text', 'tool']),
  /** Number of the event where it begins; 0 for a title. */
  seq: z.int().nonnegative(),
  at: z.iso.datetime(),
  snippet: z.array(SnippetPart),
});
export type SearchHit = z.infer<typeof SearchHit>;
