// Opening a session for somebody: what takes a while is begun at once, and what is doubtful is said.
import type { Config, CreateSession, Engine, Session } from '@toolyard/sdk';
import type { As, Standing } from '../access/standing.ts';
import type { Traces } from '../logging/traces.ts';
import type { Models } from '../models/models.ts';
import type { Direct, Sessions } from '../sessions/sessions.ts';
import type { EngineSessions } from '../turns/engine-sessions.ts';
import { findWorkspace } from '../workspace/workspaces.ts';

export type SessionOpening = ReturnType<typeof createSessionOpening>;

export interface SessionOpeningDeps {
  sessions: Sessions;
  engineSessions: EngineSessions;
  traces: Traces;
  models: Models;
  configs: { for(workspace: string): Promise<Config> };
  resolve(standing: Standing): Promise<As>;
  findEngine(name: string, model?: string): Engine;
  defaultCwd: string;
}

export function createSessionOpening(deps: SessionOpeningDeps) {
  const { sessions, engineSessions, traces, models, configs, resolve, findEngine, defaultCwd } = deps;

  /** Said to whoever has just named the model, and not kept: the provider itself knows better. */
  function withDoubt(session: Session): Session {
    const doubt = models.doubt(session.model);
    return doubt ? { ...session, warnings: [...(session.warnings ?? []), doubt] } : session;
  }

  async function prepare(session: Session): Promise<void> {
    if (findEngine(session.engine).startsEarly) await engineSessions.prepare(session, await resolve(session));
  }

  return {
    withDoubt,

    async open(wanted: CreateSession, direct?: Direct): Promise<Session> {
      const session = await sessions.create(wanted, direct);
      if (wanted.trace) traces.want(session.id, true);
      if (direct) return session;
      void prepare(session);
      return withDoubt(session);
    },

    /** The most likely session: the defaults of the default directory. */
    async expectFirst(): Promise<void> {
      const workspace = findWorkspace(defaultCwd);
      const { defaults } = await configs.for(workspace);
      const engine = findEngine(defaults.engine, defaults.model);
      if (!engine.expect) return;
      const seed = { id: '', engine: engine.id, model: defaults.model, cwd: defaultCwd };
      engineSessions.expect(seed, await resolve({ role: defaults.role, workspace }));
    },
  };
}
