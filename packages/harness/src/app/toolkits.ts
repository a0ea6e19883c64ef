// The tools that ship, wired to what the core lends them.
import type { Toolkit } from '@toolyard/sdk';
import type { ToolParts } from '../core/core-deps.ts';
import { agentsToolkit } from '../tools/agents.ts';
import { serverToolkit } from '../tools/server.ts';
import { sessionsToolkit } from '../tools/sessions.ts';
import { tasksToolkit } from '../tools/tasks.ts';

/** Declared, not wired: for whoever wants to know which there are. */
export function shippedToolkits(): Toolkit[] {
  const unwired = (): never => {
    throw new Error('no yard is open');
  };
  return [
    serverToolkit({
      version: '',
      port: unwired,
      readOutput: unwired,
      now: unwired,
      uptimeSeconds: unwired,
    }),
    sessionsToolkit({
      countSessions: unwired,
      listActiveSessions: unwired,
      getSession: unwired,
      search: unwired,
    }),
    agentsToolkit({
      draft: unwired,
      await: unwired,
      awaitAny: unwired,
      kill: unwired,
      listFor: unwired,
      report: unwired,
    }),
    tasksToolkit({
      listTasks: unwired,
      getTaskContext: unwired,
      createTask: unwired,
      closeTask: unwired,
    }),
  ];
}

export function ownToolkits(
  { records, outputs, search, agents, taskAccess }: ToolParts,
  { version, port }: { version: string; port(): number },
): Toolkit[] {
  return [
    serverToolkit({
      version,
      port,
      readOutput: outputs.read,
      now: () => new Date(),
      uptimeSeconds: () => process.uptime(),
    }),
    sessionsToolkit({
      countSessions: records.count,
      listActiveSessions: records.active,
      getSession: records.open,
      search,
    }),
    agentsToolkit(agents),
    tasksToolkit({
      listTasks: taskAccess.listFor,
      getTaskContext: taskAccess.contextFor,
      createTask: (_, wanted) => taskAccess.create(wanted),
      closeTask: taskAccess.closeFor,
    }),
  ];
}
