// Tools, and the roles and workspaces that decide who has them. Part of the one table in routes.ts.
import { z } from 'zod';
import { BrokenRole, Role, TrustView } from '../config/role.ts';
import { PermissionMode, SessionId, Slug } from '../session.ts';
import { ListedTool } from '../tool-info.ts';
import { type AnyRoute, listOf, noBody, none } from './route.ts';

export const toolRoutes = {
  listTools: {
    method: 'GET',
    path: '/api/tools',
    summary:
      'The tools a role may call, each with the rule that decides; with explain=true also those it may not call, and the tools of its engine',
    status: 200,
    params: none,
    query: z.strictObject({
      role: Slug.optional(),
      mode: PermissionMode.optional(),
      cwd: z.string().max(4096).optional(),
      /** Also those the role does not have, with the rule that says so, and the engine's own. */
      explain: z.enum(['true', 'false']).optional(),
    }),
    body: noBody,
    response: listOf(ListedTool),
  },
  callTool: {
    method: 'POST',
    path: '/api/tools/:name/call',
    summary: 'Call a tool as a person; decided, recorded and audited like any other call',
    status: 200,
    params: z.object({ name: z.string() }),
    query: none,
    body: z.strictObject({
      input: z.record(z.string(), z.unknown()).default({}),
      /** Called within this session, by its role, mode, directory and grants; none of them can be named beside it. */
      sessionId: SessionId.optional(),
      role: Slug.optional(),
      mode: PermissionMode.optional(),
      cwd: z.string().min(1).max(4096).optional(),
      /** The caller's name for the call, by which it finds the approval. */
      toolCallId: z
        .string()
        .regex(/^call_[0-9a-z]{22}$/, 'use call_ and 22 lower-case letters and digits')
        .optional(),
    }),
    response: z.object({
      text: z.string(),
      output: z.unknown(),
      isError: z.boolean(),
      sessionId: SessionId,
      /** The tool threw what it should not have: why, and by which word the server's log tells more. */
      broke: z.object({ cause: z.string(), logId: z.string() }).optional(),
    }),
  },
  readOutput: {
    method: 'GET',
    path: '/api/outputs/:id',
    summary: 'A stored output, whole or in part',
    status: 200,
    params: z.object({ id: z.string() }),
    query: z.strictObject({
      sessionId: SessionId.optional(),
      offset: z.coerce.number().int().nonnegative().default(0),
      length: z.coerce.number().int().min(1).max(1_048_576).default(65_536),
    }),
    body: noBody,
    response: z.object({
      text: z.string(),
      offset: z.int(),
      totalBytes: z.int(),
      nextOffset: z.int().optional(),
    }),
  },
  listRoles: {
    method: 'GET',
    path: '/api/roles',
    summary: 'Roles of a workspace, and broken role files',
    status: 200,
    params: none,
    query: z.strictObject({ cwd: z.string().max(4096).optional() }),
    body: noBody,
    response: listOf(Role).extend({ broken: z.array(BrokenRole) }),
  },
  lookAtTrust: {
    method: 'GET',
    path: '/api/trust',
    summary: 'Whether a workspace is trusted, and what trusting it would allow',
    status: 200,
    params: none,
    query: z.strictObject({ cwd: z.string().max(4096).optional() }),
    body: noBody,
    response: TrustView,
  },
  trust: {
    method: 'POST',
    path: '/api/trust',
    summary: 'Trust a workspace as it is now',
    status: 200,
    params: none,
    query: none,
    body: z.strictObject({ cwd: z.string().max(4096).optional(), hash: z.string() }),
    response: TrustView,
  },
} as const satisfies Record<string, AnyRoute>;
