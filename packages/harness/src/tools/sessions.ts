// The sessions toolkit: what an agent may know about the conversations around it.
import { defineTool, defineToolkit, type Session, ToolError, type Toolkit } from '@toolyard/sdk';
import { z } from 'zod';

export interface SessionToolDeps {
  /** How many sessions have worked in a directory. */
  countSessions(cwd: string): Promise<number>;
  /** Newest first. */
  listSessions(page: { limit: number; after?: string }): Promise<Session[]>;
  /** Throws when there is none. */
  getSession(id: string): Promise<Session>;
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

function listActiveSessions({ listSessions }: SessionToolDeps) {
  return defineTool({
    name: 'list_active_sessions',
    title: 'Active sessions',
    description: 'List the sessions in which an agent is at work or waits for a person.',
    effect: 'read',
    tier: 'session',
    input: z.strictObject({}),
    output: z.object({ sessions: z.array(summary) }),
    run: async () => {
      const recent = await listSessions({ limit: 500 }).catch(refuse('listed'));
      const active = recent.filter(({ status }) => status === 'running' || status === 'waiting');
      return { sessions: active.map(toSummary) };
    },
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

function searchSessions({ listSessions }: SessionToolDeps) {
  return defineTool({
    name: 'search_sessions',
    title: 'Search sessions',
    description: 'Find sessions whose title holds these words, newest first.',
    effect: 'read',
    tier: 'session',
    input: z.strictObject({
      query: z.string().min(1).max(200).describe('Taken literally, in any case'),
      limit: z.int().min(1).max(50).default(10),
    }),
    output: z.object({ sessions: z.array(summary) }),
    run: async ({ query, limit }, { signal }) => {
      const wanted = query.toLowerCase();
      const found: Session[] = [];
      for (let after: string | undefined; found.length < limit && !signal.aborted; ) {
        const page = await listSessions({ limit: 500, ...(after && { after }) }).catch(refuse('searched'));
        found.push(...page.filter(({ title }) => title.toLowerCase().includes(wanted)));
        after = page.at(-1)?.id;
        if (page.length < 500) break;
      }
      return { sessions: found.slice(0, limit).map(toSummary) };
    },
  });
}

function toSummary({ id, title, status, role, engine, cwd, updatedAt }: Session): z.infer<typeof summary> {
  return { id, title, status, role, engine, cwd, updated_at: updatedAt };
}

/** The model hears what failed, with the code it failed with. */
function refuse(what: string) {
  return (cause: unknown): never => {
    throw new ToolError(`Sessions could not be ${what}: ${reasonOf(cause)}.`);
  };
}

function reasonOf(cause: unknown): string {
  if (cause instanceof Error && 'code' in cause) return `${String(cause.code)}, ${cause.message}`;
  return cause instanceof Error ? cause.message : 'unknown reason';
}
