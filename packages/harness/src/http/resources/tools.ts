// Tools over HTTP: listed for a role with the rule that decides on each, called by a person through the same toolbox.
import { type ListedTool, routes, type ToolInfo, ToolyardError } from '@toolyard/sdk';
import type { Core } from '../../core/core.ts';
import { findNearest } from '../../core/lib/did-you-mean.ts';
import { directFor } from '../../core/turns/direct-calls.ts';
import { findWorkspace, requireDirectory } from '../../core/workspace/workspaces.ts';
import { type HttpRouter, mount } from '../server/mount.ts';

export function mountTools(app: HttpRouter, core: Core): void {
  const { explainTools, roles, configs, resolve, sessions, toolbox, outputs, callDirectly, defaultCwd } =
    core;

  mount(app, routes.listTools, async ({ query }) => {
    const workspace = findWorkspace(requireDirectory(query.cwd ?? defaultCwd));
    const config = await configs.for(workspace);
    const role = await roles.find(query.role ?? config.defaults.role, workspace);
    const mode = query.mode ?? role.mode ?? config.defaults.mode;
    const all = await explainTools({ role, mode, config, workspace });
    const isOurs = ({ offered, engine }: ListedTool) => offered && engine === undefined;
    return { items: query.explain === 'true' ? all : all.filter(isOurs) };
  });

  mount(app, routes.callTool, async ({ params: { name }, body, actor, request }) => {
    const { toolCallId, input, sessionId, ...named } = body;
    if (sessionId) requireNothingElse(named);
    const title = `call ${name}`.slice(0, 200);
    const session = await (sessionId
      ? sessions.get(sessionId)
      : sessions.create({ title, ...named }, directFor(actor)));
    const { role, config, ancestorRoles } = await resolve(session);
    requireTool(
      name,
      ancestorRoles ? 'This agent' : `The role ${role.name}`,
      toolbox.list({ role, config, ancestorRoles }),
    );
    const { signal } = request;
    let cause: string | undefined;
    const called = await callDirectly({
      session,
      role,
      config,
      ancestorRoles,
      tool: name,
      input,
      actor,
      isAlone: !sessionId,
      signal,
      onBroken: (formatted) => {
        cause = formatted;
      },
      ...(toolCallId && { toolCallId }),
    });
    // A call that failed, or whose output was cut, has words and no output.
    const { text, output = null, isError, toolCallId: logId } = called;
    const broke = cause !== undefined && { broke: { cause, logId } };
    return { text, output, isError, sessionId: session.id, ...broke };
  });

  mount(app, routes.readOutput, ({ params, query: { sessionId, offset, length } }) =>
    outputs.read(sessionId, params.id, offset, length).catch((cause: Error) => {
      throw new ToolyardError('output_not_found', cause.message, { cause });
    }),
  );
}

/** A session is used as it is: what was allowed in it was allowed for its role, mode and directory. */
function requireNothingElse(named: object): void {
  const [key] = Object.keys(named);
  if (key === undefined) return;
  throw new ToolyardError(
    'invalid_request',
    `${key}: leave it out; with sessionId, the ${key} of the session applies.`,
  );
}

function requireTool(name: string, who: string, offered: readonly ToolInfo[]): void {
  const names = offered.map((tool) => tool.name);
  if (names.includes(name)) return;
  const suggestion = names.find((each) => each.endsWith(`__${name}`)) ?? findNearest(name, names);
  const hint = suggestion ? ` Did you mean "${suggestion}"?` : '';
  throw new ToolyardError('unknown_tool', `${who} has no tool ${name.slice(0, 100)}.${hint}`);
}

/** The roles that have the tools, and the trust that a workspace's own files need. */
export function mountRoles(app: HttpRouter, { roles, trust, defaultCwd }: Core): void {
  const directory = (cwd: string | undefined) => requireDirectory(cwd ?? defaultCwd);
  mount(app, routes.listRoles, async ({ query }) => {
    const { roles: items, broken } = await roles.list(findWorkspace(directory(query.cwd)));
    return { items, broken };
  });
  mount(app, routes.lookAtTrust, ({ query }) => trust.inspect(directory(query.cwd)));
  mount(app, routes.trust, ({ body, actor }) => trust.trust(directory(body.cwd), body.hash, actor));
}
