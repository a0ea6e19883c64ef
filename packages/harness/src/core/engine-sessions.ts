// Keeps an engine's session alive between turns and brings it back from its checkpoints when it is gone.
import type { Config, Engine, EngineSession, Role, Session, Store } from '@toolyard/sdk';

/** Idle ones kept in memory; the least recently used beyond that is closed and later resumed from the store. */
const keepIdle = 32;

export interface EngineSessions {
  /** The session's engine, started or resumed. It counts as busy until `release`. */
  take(session: Session, as: { role: Role; config: Config }): Promise<EngineSession>;
  release(sessionId: string): void;
  /** Closes it without waiting; the next turn resumes from what is stored. */
  discard(sessionId: string): void;
  close(): Promise<void>;
}

interface EngineSessionDeps {
  store: Store;
  findEngine(name: string): Engine;
}

export function createEngineSessions({ store, findEngine }: EngineSessionDeps): EngineSessions {
  const busy = new Map<string, EngineSession>();
  const idle = new Map<string, EngineSession>();

  async function start(
    session: Session,
    { role, config }: { role: Role; config: Config },
  ): Promise<EngineSession> {
    const resume = await store.reads.resume(session.id);
    return findEngine(session.engine).start({
      sessionId: session.id,
      model: session.model,
      instructions: role.instructions,
      cwd: session.cwd,
      maxSteps: config.limits.maxSteps,
      ...(resume && { resume }),
    });
  }

  function discard(sessionId: string): void {
    const found = busy.get(sessionId) ?? idle.get(sessionId);
    busy.delete(sessionId);
    idle.delete(sessionId);
    found?.close().catch(() => {});
  }

  return {
    async take(session, as) {
      const taken = idle.get(session.id) ?? (await start(session, as));
      idle.delete(session.id);
      busy.set(session.id, taken);
      return taken;
    },
    release(sessionId) {
      const released = busy.get(sessionId);
      if (!released) return;
      busy.delete(sessionId);
      idle.set(sessionId, released);
      const [oldest] = idle.keys();
      if (idle.size > keepIdle && oldest) discard(oldest);
    },
    discard,
    async close() {
      await Promise.allSettled([...busy.values(), ...idle.values()].map((session) => session.close()));
      busy.clear();
      idle.clear();
    },
  };
}
