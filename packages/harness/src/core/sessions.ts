// Sessions: opening one with every default settled, and finding them again.
import {
  type Config,
  type CreateSession,
  type Engine,
  type Session,
  type Store,
  ToolyardError,
} from '@toolyard/sdk';
import type { NewId } from './ids.ts';
import type { Log } from './log.ts';
import type { Clock } from './ports.ts';
import type { Roles } from './roles.ts';
import { findWorkspace, requireDirectory } from './workspaces.ts';

export interface SessionDeps {
  store: Store;
  log: Log;
  clock: Clock;
  newId: NewId;
  configs: { for(workspace: string): Promise<Config> };
  roles: Roles;
  /** Resolves an engine name, `auto` included; throws `unknown_engine`. */
  findEngine(name: string): Engine;
  /** Directory of a session that names none. */
  defaultCwd: string;
}

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions({
  store,
  log,
  clock,
  newId,
  configs,
  roles,
  findEngine,
  defaultCwd,
}: SessionDeps) {
  return {
    /** `direct` is the engine of a session in which nobody converses. */
    async create(wanted: CreateSession, direct?: string): Promise<Session> {
      const id = newId('ses');
      const at = new Date(clock.now()).toISOString();
      const cwd = requireDirectory(wanted.cwd ?? defaultCwd);
      const workspace = findWorkspace(cwd);
      const { defaults } = await configs.for(workspace);
      const role = await roles.find(wanted.role ?? defaults.role, workspace);
      const session = {
        id,
        title: wanted.title ?? '',
        role: role.name,
        engine: direct ?? findEngine(wanted.engine ?? role.engine ?? defaults.engine).id,
        model: wanted.model ?? role.model ?? defaults.model,
        mode: wanted.mode ?? role.mode ?? defaults.mode,
        cwd,
        workspace,
        status: 'idle' as const,
        rootSessionId: id,
        costUsd: 0,
        createdAt: at,
        updatedAt: at,
      };
      await log.commit(id, (tx) => tx.insertSession(session));
      return { ...session, lastSeq: 0 };
    },

    async get(id: string): Promise<Session> {
      return (await store.reads.session(id)) ?? refuseUnknown(id);
    },

    list(page: { limit: number; after?: string }): Promise<Session[]> {
      return store.reads.sessions(page);
    },

    /** How many sessions have worked in a directory. */
    count(cwd: string): Promise<number> {
      return store.reads.countSessions(cwd);
    },
  };
}

export function refuseUnknown(id: string): never {
  const hint = 'List them with `toolyard sessions list`.';
  throw new ToolyardError('session_not_found', `There is no session ${id.slice(0, 60)}. ${hint}`);
}
