// Sessions as they are stored: making one with every default settled, and finding them again.
import { realpath } from 'node:fs/promises';
import { type CreateSession, type Engine, type Session, type Store, ToolyardError } from '@toolyard/sdk';
import type { ReadFilesOf } from '../access/resolved-agent.ts';
import type { NewId } from '../lib/ids.ts';
import type { Clock } from '../lib/ports.ts';
import type { Log } from '../log/log.ts';
import type { Roles } from '../roles/roles.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { TranscriptSync } from '../transcripts/transcripts.ts';
import type { Configs } from '../workspace/workspace-config.ts';
import {
  type DirectoryBounds,
  findChildWorkspace,
  findWorkspace,
  requireWorkDirectory,
} from '../workspace/workspaces.ts';

export interface SessionRecordDeps {
  store: Store;
  log: Log;
  clock: Clock;
  newId: NewId;
  configs: Pick<Configs, 'forFiles'>;
  roles: Pick<Roles, 'findIn'>;
  /** What counts where a session works. */
  readFiles: ReadFilesOf;
  tasks: Pick<Tasks, 'ensure'>;
  transcripts: TranscriptSync;
  /** Resolves an engine name, `auto` by the model included; throws `unknown_engine`. */
  findEngine(name: string, model: string): Engine;
  /** Directory of a session that names none. */
  defaultCwd: string;
  /** Where sessions may be. */
  bounds: DirectoryBounds;
}

/** Of a session in which nobody converses. */
export interface Direct {
  engine: string;
  caller: string;
}

export type SessionRecords = ReturnType<typeof createSessionRecords>;

export function createSessionRecords({
  store,
  log,
  clock,
  newId,
  configs,
  roles,
  readFiles,
  tasks,
  transcripts,
  findEngine,
  defaultCwd,
  bounds,
}: SessionRecordDeps) {
  async function get(id: string): Promise<Session> {
    return (await store.reads.session(id)) ?? refuseUnknown(id);
  }

  function chooseEngine(name: string, model: string, trace = false): Engine {
    const engine = findEngine(name, model);
    engine.checkModel?.(model);
    if (trace) requireWire(engine);
    return engine;
  }

  async function findWorkspaceUnder(cwd: string, parent: Session): Promise<string> {
    const { roots } = configs.forFiles(await readFiles(parent)).workspace;
    return findChildWorkspace(cwd, { workspace: parent.workspace, roots });
  }

  /** A session as it would be stored, every default settled. */
  async function compose(
    wanted: CreateSession,
    { direct, parent }: { direct?: Direct | undefined; parent?: Session | undefined } = {},
  ): Promise<Omit<Session, 'lastSeq'>> {
    const id = newId('ses');
    const at = new Date(clock.now()).toISOString();
    const cwd = requireWorkDirectory(wanted.cwd ?? defaultCwd, bounds);
    const workspace = parent ? await findWorkspaceUnder(cwd, parent) : findWorkspace(cwd);
    const files = await readFiles({ workspace }, parent);
    const { defaults } = configs.forFiles(files);
    const role = await roles.findIn(wanted.role ?? defaults.role, files.parent ?? files);
    const model = wanted.model ?? role.model ?? defaults.model;
    const engine = wanted.engine ?? role.engine ?? defaults.engine;
    return {
      id,
      title: wanted.title ?? '',
      role: role.name,
      engine: direct?.engine ?? chooseEngine(engine, model, wanted.trace).id,
      model,
      mode: wanted.mode ?? role.mode ?? defaults.mode,
      cwd,
      workspace,
      status: 'idle' as const,
      rootSessionId: id,
      costUsd: 0,
      createdAt: at,
      updatedAt: at,
      ...(wanted.taskSlug && { taskSlug: wanted.taskSlug }),
      ...(direct && { caller: direct.caller }),
    };
  }

  return {
    compose,

    async create(wanted: CreateSession, direct?: Direct): Promise<Session> {
      const session = await compose(wanted, { direct });
      const { id, taskSlug } = session;
      await log.commit(id, async (tx) => {
        if (taskSlug) await tasks.ensure(tx, taskSlug, '');
        await tx.insertSession(session);
        // A name is looked for by; what a call is titled by itself is not.
        if (session.title && !direct) await tx.index([{ sessionId: id, seq: 0, text: session.title }]);
      });
      return { ...session, lastSeq: 0 };
    },

    get,

    /** The same for whoever wants to read it: with what was added to it outside. */
    async open(id: string): Promise<Session> {
      await transcripts.open(id);
      return get(id);
    },

    /** Newest first, those that were begun outside among them. */
    async list(page: { limit: number; after?: string }): Promise<Session[]> {
      await transcripts.refresh();
      return store.reads.sessions(page);
    },

    /** Those in which somebody is at work or waits for a person, newest first. */
    async active(): Promise<Session[]> {
      const turns = await store.reads.turnsIn(['queued', 'running']);
      const ids = [...new Set(turns.map(({ sessionId }) => sessionId))].sort().reverse();
      const found = await Promise.all(ids.map((id) => store.reads.session(id)));
      return found.filter((session) => session !== undefined);
    },

    /** How many sessions have worked in a directory. Throws when transcripts of it cannot be looked for. */
    async count(cwd: string): Promise<number> {
      // The programs that keep them know a directory by its real name.
      const names = new Set([cwd, await realpath(cwd).catch(() => cwd)]);
      let count = 0;
      for (const name of names) {
        await transcripts.scan(name);
        count += await store.reads.countSessions(name);
      }
      return count;
    },
  };
}

export function refuseUnknown(id: string): never {
  const hint = 'List them with `toolyard sessions list`.';
  throw new ToolyardError('session_not_found', `There is no session ${id.slice(0, 60)}. ${hint}`);
}

export function requireWire({ id, hasWire }: Engine): void {
  if (hasWire) return;
  const how = 'Only an engine that runs its own program can: use the engine claude.';
  throw new ToolyardError('invalid_request', `The engine ${id} cannot be traced. ${how}`);
}
