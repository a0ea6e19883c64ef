// /mcp for both ages of the protocol: since 2026-07-28 each request stands alone, before it clients hold sessions.
// Loaded on first use, since the MCP SDK is heavy.
import { createMcpHandler, isLegacyRequest, type Server } from '@modelcontextprotocol/server';
import { toVisibleLine } from '@toolyard/sdk';
import type { Caller } from './caller.ts';
import { createDirectSessions, type DirectSessionDeps } from './direct-sessions.ts';
import { createLegacySessions } from './legacy-sessions.ts';
import { createRoleContexts, type RoleContextDeps } from './role-contexts.ts';
import { type ClientServer, createServer, type ServerDeps } from './server.ts';
import { createToolCalls, type OnEnded, type ToolCallDeps } from './tool-calls.ts';

export interface EndpointDeps
  extends Omit<ToolCallDeps, 'roleContexts'>,
    Omit<ServerDeps, 'roleContexts' | 'toolCalls'>,
    RoleContextDeps,
    DirectSessionDeps {}

export interface Endpoint {
  /** `body` is what the body of a POST says, parsed. */
  handle(request: Request, caller: Caller, body: unknown): Promise<Response>;
  isBusy(): boolean;
  /** Ends the sessions of a token that was revoked. */
  dismiss(actorId: string): void;
  close(): Promise<void>;
}

export function createEndpoint(deps: EndpointDeps): Endpoint {
  const { clock, logger } = deps;
  const roleContexts = createRoleContexts(deps);
  const toolCalls = createToolCalls({ ...deps, roleContexts });
  const parts = { ...deps, roleContexts, toolCalls };
  const directSessions = createDirectSessions(deps);
  const callers = new WeakMap<Request, Caller>();

  function openModern(request: Request | undefined): Server {
    const caller = request && callers.get(request);
    if (!caller) throw new Error('a request without its caller');
    const mcpClient = { caller, era: 'modern', openSession: directSessions.ofToday(caller) } as const;
    return createServer(mcpClient, parts).server;
  }

  function openLegacy(caller: Caller, onEnded: OnEnded): ClientServer {
    const openSession = directSessions.own(caller, () => toTitle(opened.server));
    const opened = createServer({ caller, era: 'legacy', openSession, onEnded }, parts);
    return opened;
  }

  const modern = createMcpHandler(({ requestInfo }) => openModern(requestInfo), {
    legacy: 'reject',
    onerror: (cause) => logger.info('an MCP client sent an invalid message or disconnected', { cause }),
  });
  const legacy = createLegacySessions({ clock, openServer: openLegacy });

  return {
    async handle(request, caller, body) {
      const isEmpty = request.method === 'POST' && body === undefined;
      if (isEmpty || (await isLegacyRequest(request, body))) return legacy.handle(request, caller, body);
      callers.set(request, caller);
      return modern.fetch(request, { parsedBody: body });
    },
    isBusy: () => toolCalls.isBusy() || legacy.isBusy(),
    dismiss: legacy.dismiss,
    async close() {
      // First the calls: a client that waits for one should hear how it ended.
      await toolCalls.close();
      await Promise.all([modern.close(), legacy.close()]);
    },
  };
}

/** Clients name themselves, as they like. */
function toTitle(server: Server): string {
  return toVisibleLine(`MCP client ${server.getClientVersion()?.name ?? ''}`.slice(0, 100)).trim();
}
