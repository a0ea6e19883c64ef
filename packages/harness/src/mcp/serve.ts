// Our tools for every MCP client: the entry point behind /mcp. It loads the protocol with the first request.
import { ToolyardError } from '@toolyard/sdk';
import type { Principal } from '../core/identity/principals.ts';
import { toCaller } from './caller.ts';
import type { Endpoint, EndpointDeps } from './endpoint.ts';

export interface McpDeps extends Omit<EndpointDeps, 'noticeIntervalMs'> {
  /** Directory of whoever names none. */
  defaultCwd: string;
}

export interface Mcp {
  /** `body` is what the body of a POST says, parsed. Throws a `ToolyardError` for a caller that it cannot serve. */
  handle(request: Request, principal: Principal, body: unknown): Promise<Response>;
  /** Whether a call is under way or a client listens. */
  isBusy(): boolean;
  /** Lets the clients of a token go that was revoked. Its calls are stopped elsewhere. */
  dismiss(actorId: string): void;
  /** Stops calls and lets clients go. */
  close(): Promise<void>;
}

/** Clients give up after a minute without a word. */
const noticeIntervalMs = 5_000;

export function createMcp(deps: McpDeps): Mcp {
  let opening: Promise<Endpoint> | undefined;
  let endpoint: Endpoint | undefined;
  let closed = false;

  async function open(): Promise<Endpoint> {
    const { createEndpoint } = await import('./endpoint.ts');
    endpoint = createEndpoint({ ...deps, noticeIntervalMs });
    return endpoint;
  }

  return {
    async handle(request, principal, body) {
      const caller = toCaller(request, principal, deps.defaultCwd);
      opening ??= open();
      const { handle } = await opening;
      if (closed) throw new ToolyardError('shutting_down', 'The server is stopping. Try again in a moment.');
      return handle(request, caller, body);
    },
    isBusy: () => endpoint?.isBusy() ?? false,
    dismiss: (actorId) => endpoint?.dismiss(actorId),
    async close() {
      closed = true;
      await (await opening)?.close();
    },
  };
}
