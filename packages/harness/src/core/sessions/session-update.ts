// Changes a session's mode, model, title or trace, and shows what its agent is given.
import type { Actor, ChangeSession, Engine, Session, SessionContext, Store } from '@toolyard/sdk';
import type { ResolvedAgent } from '../access/resolved-agent.ts';
import { ofAgent, toChangeEntry } from '../audit/audit-changes.ts';
import type { Clock } from '../lib/ports.ts';
import type { Log } from '../log/log.ts';
import type { Traces } from '../operator-log/traces.ts';
import { directEngine } from '../session-records/direct-turns.ts';
import { refuseUnknown, requireWire } from '../session-records/session-records.ts';
import type { EngineSessions } from '../turns/engine-sessions.ts';

export interface SessionUpdateDeps {
  store: Store;
  log: Log;
  clock: Clock;
  engineSessions: EngineSessions;
  traces: Traces;
  findEngine(name: string): Engine;
  /** What its agent is now. */
  resolve(session: Session): Promise<ResolvedAgent>;
}

export function createSessionUpdate(deps: SessionUpdateDeps) {
  const { store, log, clock, engineSessions, resolve, traces, findEngine } = deps;
  async function changeTrace(id: string, trace: boolean): Promise<void> {
    const { engine } = (await store.reads.session(id)) ?? refuseUnknown(id);
    if (trace) requireWire(findEngine(engine));
    traces.want(id, trace);
  }

  async function checkModel(id: string, model: string): Promise<void> {
    const { engine } = (await store.reads.session(id)) ?? refuseUnknown(id);
    if (engine !== directEngine) findEngine(engine).checkModel?.(model);
  }

  return {
    /** A mode counts from the next call on, a model or trace from the next turn. */
    async change(id: string, change: ChangeSession, by: Actor): Promise<Session> {
      const { title, mode, model, trace } = change;
      if (model) await checkModel(id, model);
      if (trace !== undefined) await changeTrace(id, trace);
      const updatedAt = new Date(clock.now()).toISOString();
      return log.commit(id, async (tx, append) => {
        const session = (await tx.session(id)) ?? refuseUnknown(id);
        await tx.updateSession(id, {
          updatedAt,
          ...(title !== undefined && { title }),
          ...(mode && { mode }),
          ...(model && { model }),
        });
        if (title !== undefined) await tx.index([{ sessionId: id, seq: 0, text: title }]);
        if (mode && mode !== session.mode) {
          const changed = { change: 'mode_changed', sessionId: id, subject: mode } as const;
          await tx.appendAudit(toChangeEntry(clock, by, { ...changed, ...ofAgent(session) }));
        }
        if (mode || model) {
          const data = { status: session.status, ...(mode && { mode }), ...(model && { model }) };
          await append({ type: 'session_status', data });
        }
        return (await tx.session(id)) ?? refuseUnknown(id);
      });
    },

    async context(id: string): Promise<SessionContext> {
      const session = (await store.reads.session(id)) ?? refuseUnknown(id);
      const { engine, model, mode, role } = session;
      const { instructions, tools, nativeTools } = engineSessions.specOf(session, await resolve(session));
      const window = await engineSessions.contextUsage(id);
      return {
        engine,
        model,
        mode,
        role,
        instructions,
        tools: tools.map(({ name }) => name),
        nativeTools: [...nativeTools],
        ...(window && { window }),
      };
    },
  };
}
