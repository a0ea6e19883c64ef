// The server toolkit: is it there, and what is it?
import { defineTool, defineToolkit, type Toolkit } from '@toolyard/sdk';
import { z } from 'zod';

export interface ServerToolDeps {
  now(): Date;
  version: string;
  /** The port the server listens on, or would. */
  port(): number;
  uptimeSeconds(): number;
  /** A piece of a kept output of a session; throws a `ToolError` when there is none. */
  readOutput(
    sessionId: string,
    outputId: string,
    offset: number,
    length: number,
  ): Promise<{ text: string; offset: number; totalBytes: number; nextOffset?: number }>;
}

export function serverToolkit(deps: ServerToolDeps): Toolkit {
  return defineToolkit({ name: 'server', tools: [ping(deps), getServerInfo(deps), readOutput(deps)] });
}

function ping({ now }: Pick<ServerToolDeps, 'now'>) {
  return defineTool({
    name: 'ping',
    title: 'Ping',
    description: 'Check that the Toolyard server answers. Returns pong with the time.',
    effect: 'read',
    tier: 'session',
    input: z.strictObject({}),
    output: z.object({
      status: z.literal('pong'),
      timestamp: z.iso.datetime(),
      server: z.literal('toolyard'),
    }),
    run: async () => ({ status: 'pong', timestamp: now().toISOString(), server: 'toolyard' }),
  });
}

function getServerInfo({ version, port, uptimeSeconds }: ServerToolDeps) {
  return defineTool({
    name: 'get_server_info',
    title: 'Server info',
    description: 'Get the version and port of the Toolyard server and, on request, how long it has been up.',
    effect: 'read',
    tier: 'session',
    input: z.strictObject({ include_uptime: z.boolean().optional().describe('Add uptime_seconds') }),
    output: z.object({
      product: z.literal('Toolyard'),
      version: z.string(),
      port: z.string(),
      uptime_seconds: z.int().nonnegative().optional(),
    }),
    run: async ({ include_uptime }) => ({
      product: 'Toolyard' as const,
      version,
      port: String(port()),
      ...(include_uptime && { uptime_seconds: Math.floor(uptimeSeconds()) }),
    }),
  });
}

function readOutput({ readOutput: read }: Pick<ServerToolDeps, 'readOutput'>) {
  return defineTool({
    name: 'read_output',
    title: 'Read output',
    description:
      'Read more of an output of this session that was too long to show. Offsets and lengths are in bytes.',
    effect: 'read',
    tier: 'auto',
    input: z.strictObject({
      output_id: z.string().describe('The id named where the output was cut'),
      offset: z.int().nonnegative().default(0),
      length: z.int().min(1).max(40_000).default(20_000),
    }),
    output: z.object({
      text: z.string(),
      offset: z.int(),
      total_bytes: z.int(),
      next_offset: z.int().optional().describe('The next offset; absent at the end'),
    }),
    run: async ({ output_id, offset, length }, { sessionId }) => {
      const piece = await read(sessionId, output_id, offset, length);
      const next = piece.nextOffset === undefined ? {} : { next_offset: piece.nextOffset };
      return { text: piece.text, offset: piece.offset, total_bytes: piece.totalBytes, ...next };
    },
  });
}
