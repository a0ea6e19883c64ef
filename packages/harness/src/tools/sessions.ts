// The sessions toolkit: what an agent may know about conversations around it.
import { defineTool, defineToolkit, ToolError, type Toolkit } from '@toolyard/sdk';
import { z } from 'zod';

export interface SessionToolDeps {
  /** How many sessions have worked in a directory. */
  countSessions(cwd: string): Promise<number>;
}

export function sessionsToolkit(deps: SessionToolDeps): Toolkit {
  return defineToolkit({ name: 'sessions', tools: [getSessionCount(deps)] });
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
    run: async (_, { cwd }) => {
      const count = await countSessions(cwd).catch((cause: unknown) => {
        throw new ToolError(`Sessions could not be counted: ${reasonOf(cause)}.`);
      });
      return { count, cwd };
    },
  });
}

function reasonOf(cause: unknown): string {
  if (cause instanceof Error && 'code' in cause) return `${String(cause.code)}, ${cause.message}`;
  return cause instanceof Error ? cause.message : 'unknown reason';
}
