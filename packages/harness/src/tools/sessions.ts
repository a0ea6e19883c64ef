// The sessions toolkit: what an agent may know about the conversations around it.
import {
  defineTool,
  defineToolkit,
  type SearchHit,
  type Session,
  ToolError,
  type Toolkit,
} from '@toolyard/sdk';
import { z } from 'zod';
import { toToolTerms } from '../core/lib/tool-terms.ts';

export interface SessionToolDeps {
  /** How many sessions have worked in a directory. */
  countSessions(cwd: string): Promise<number>;
  /** Those in which somebody is at work or waits for a person, newest first. */
  listActiveSessions(): Promise<Session[]>;
  /** Throws when there is none. */
  getSession(id: string): Promise<Session>;
  search(wanted: { q: string; limit: number }): Promise<{ items: SearchHit[]; indexing?: true }>;
}

const summary = z.object({
  id: z.string(),
  title: z.string(),
  status: z.string(),
  role: z.string(),
  engine: z.string(),
  cwd: z.string(),
  updated_at: z.string(),
});

export function sessionsToolkit(deps: SessionToolDeps): Toolkit {
  return defineToolkit({
    name: 'sessions',
    tools: [getSessionCount(deps), listActiveSessions(deps), getSessionDetails(deps), searchSessions(deps)],
  });
}

function getSessionCount({ countSessions }: SessionToolDeps) {
  return defineTool({
    name: 'get_session_count',
    title: 'Session count',
    description: "Count the sessions that have worked in this session's directory.",
    effect: 'read',
    tier: 'session',
    input: z.strictObject({}),
    output: z.object({ count: z.int().nonnegative(), cwd: z.string() }),
    run: async (_, { cwd }) => ({ count: await countSessions(cwd).catch(refuse('counted')), cwd }),
  });
}

function listActiveSessions({ listActiveSessions: list }: SessionToolDeps) {
  return defineTool({
    name: 'list_active_sessions',
    title: 'Active sessions',
    description: 'List the sessions in which an agent is at work or waits for a person, newest first.',
    effect: 'read',
    tier: 'session',
    input: z.strictObject({}),
    output: z.object({ sessions: z.array(summary) }),
    run: async () => ({ sessions: (await list().catch(refuse('listed'))).map(toSummary) }),
  });
}

function getSessionDetails({ getSession }: SessionToolDeps) {
  return defineTool({
    name: 'get_session_details',
    title: 'Session details',
    description:
      'Get what is known about one session: role, engine, model, mode, directory, status and cost.',
    effect: 'read',
    tier: 'session',
    input: z.strictObject({ session_id: z.string().describe('An id such as list_active_sessions gives') }),
    output: summary.extend({
      model: z.string(),
      mode: z.string(),
      events: z.int(),
      cost_usd: z.number().nullable(),
      created_at: z.string(),
    }),
    run: async ({ session_id }) => {
      const session = await getSession(session_id).catch(refuse('found'));
      const { model, mode, lastSeq, costUsd, createdAt } = session;
      return {
        ...toSummary(session),
        model,
        mode,
        events: lastSeq,
        cost_usd: costUsd,
        created_at: createdAt,
      };
    },
  });
}

const hit = z.object({
  session_id: z.string(),
  title: z.string(),
  cwd: z.string(),
  kind: z.string().describe('Where the words were found: title, user, text or tool'),
  event: z.int().describe('Number of the event with the words; 0 for a title'),
  at: z.string(),
  snippet: z.string(),
});

function searchSessions({ search }: SessionToolDeps) {
  return defineTool({
    name: 'search_sessions',
    title: 'Search sessions',
    description:
      'Find what was said in any session: titles, messages, answers and tool calls that hold all of these words, newest first.',
    effect: 'read',
    tier: 'session',
    input: z.strictObject({
      query: z.string().min(1).max(1_000).describe('Words, in any case; no character has a special meaning'),
      limit: z.int().min(1).max(50).default(10),
    }),
    output: z.object({
      hits: z.array(hit),
      incomplete: z.literal(true).optional().describe('Older sessions are still being indexed'),
    }),
    run: async ({ query, limit }) => {
      const { items, indexing } = await search({ q: query, limit }).catch(refuse('searched'));
      return { hits: items.map(toHit), ...(indexing && { incomplete: true as const }) };
    },
  });
}

function toHit({ sessionId, title, cwd, kind, seq, at, snippet }: SearchHit): z.infer<typeof hit> {
  const words = snippet.map(({ text }) => text).join('');
  return { session_id: sessionId, title, cwd, kind, event: seq, at, snippet: words };
}

function toSummary({ id, title, status, role, engine, cwd, updatedAt }: Session): z.infer<typeof summary> {
  return { id, title, status, role, engine, cwd, updated_at: updatedAt };
}

/** The model hears what failed, with the code it failed with. */
function refuse(what: string) {
  return (cause: unknown): never => {
    throw new ToolError(`Sessions could not be ${what}: ${reasonOf(cause).replace(/\.$/, '')}.`);
  };
}

function reasonOf(cause: unknown): string {
  if (cause instanceof Error && 'code' in cause)
    return `${String(cause.code)}, ${toToolTerms(cause.message)}`;
  return cause instanceof Error ? cause.message : 'unknown reason';
}
