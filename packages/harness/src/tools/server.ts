// The server toolkit: is it there, and what is it?
import { defineTool, defineToolkit, type Toolkit } from '@toolyard/sdk';
import { z } from 'zod';

export interface ServerToolDeps {
  now(): Date;
  version: string;
  /** The port the server listens on, or would. */
  port(): number;
  uptimeSeconds(): number;
}

export function serverToolkit(deps: ServerToolDeps): Toolkit {
  return defineToolkit({ name: 'server', tools: [ping(deps), getServerInfo(deps)] });
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
