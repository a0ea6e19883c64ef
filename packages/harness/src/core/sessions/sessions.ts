// Sessions: the one object through which everybody opens, reads, changes, forks, exports and deletes them.
import type { Config, CreateSession, Engine, Session, Store } from '@toolyard/sdk';
import type { ResolveAgent } from '../access/resolved-agent.ts';
import type { Outputs } from '../calls/output.ts';
import type { NewId } from '../lib/ids.ts';
import type { Clock, Logger, OnCrashPoint } from '../lib/ports.ts';
import type { Log } from '../log/log.ts';
import type { Models } from '../models/models.ts';
import type { Traces } from '../operator-log/traces.ts';
import type { Direct, SessionRecords } from '../session-records/session-records.ts';
import type { TranscriptSync } from '../transcripts/transcripts.ts';
import type { Turns } from '../turns/turns.ts';
import { findWorkspace } from '../workspace/workspaces.ts';
import { createSessionExport } from './session-export.ts';
import { createSessionFork } from './session-fork.ts';
import { createSessionRemoval } from './session-removal.ts';
import { createSessionUpdate } from './session-update.ts';

export interface SessionDeps {
  store: Store;
  log: Log;
  clock: Clock;
  newId: NewId;
  logger: Logger;
  onCrashPoint: OnCrashPoint;
  records: SessionRecords;
  turns: Turns;
  transcripts: TranscriptSync;
  outputs: Outputs;
  traces: Traces;
  models: Models;
  configs: { for(workspace: string): Promise<Config> };
  resolve: ResolveAgent;
  findEngine(name: string, model?: string): Engine;
  defaultCwd: string;
  /** Ends all that was drafted under a session, and names the sessions that worked there. */
  endDescendants(sessionId: string): Promise<string[]>;
}

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(deps: SessionDeps) {
  const { records, traces, models, configs, resolve, findEngine, defaultCwd } = deps;
  const { engineSessions, directCalls } = deps.turns;
  const update = createSessionUpdate({ ...deps, engineSessions });
  const removal = createSessionRemoval({ ...deps, engineSessions, directCalls });

  /** Shown to whoever has just named the model, and not kept: the provider itself knows better. */
  function withModelWarning(session: Session): Session {
    const warning = models.warningFor(session.model);
    return warning ? { ...session, warnings: [...(session.warnings ?? []), warning] } : session;
  }

  async function startEarly(session: Session): Promise<void> {
    if (findEngine(session.engine).startsEarly) await engineSessions.prepare(session, await resolve(session));
  }

  return {
    ...records,

    /** Opens a session. What takes a while, such as its engine's program, is started at once. */
    async create(wanted: CreateSession, direct?: Direct): Promise<Session> {
      const session = await records.create(wanted, direct);
      if (wanted.trace) traces.want(session.id, true);
      if (direct) return session;
      void startEarly(session);
      return withModelWarning(session);
    },

    /** A mode counts from the next call on, a model or trace from the next turn. */
    async change(...[id, change, by]: Parameters<typeof update.change>): Promise<Session> {
      const changed = await update.change(id, change, by);
      return change.model ? withModelWarning(changed) : changed;
    },

    context: update.context,
    export: createSessionExport(deps),
    fork: createSessionFork(deps),
    ...removal,

    /** After a start: the most likely session is one with the defaults of the default directory. */
    async expectFirst(): Promise<void> {
      const workspace = findWorkspace(defaultCwd);
      const { defaults } = await configs.for(workspace);
      const engine = findEngine(defaults.engine, defaults.model);
      if (!engine.expect) return;
      const seed = { id: '', engine: engine.id, model: defaults.model, cwd: defaultCwd, workspace };
      engineSessions.expect(seed, await resolve({ role: defaults.role, workspace }));
    },
  };
}
