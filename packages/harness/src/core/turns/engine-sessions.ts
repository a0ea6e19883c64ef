// Keeps an engine's session alive between turns and brings it back from its checkpoints when it is gone, or when what
// it was started with has changed.
import type {
  Config,
  ContextUsage,
  Engine,
  EngineSession,
  EngineSpec,
  NativeTool,
  Session,
  Store,
} from '@toolyard/sdk';
import { judgeNativeTool } from '../access/access.ts';
import type { ResolvedAgent } from '../access/resolved-agent.ts';
import { toToolSpecs } from '../calls/offered-tools.ts';
import type { Toolbox } from '../calls/toolbox.ts';
import type { Logger } from '../lib/ports.ts';
import { settleWithin } from '../lib/settle-within.ts';
import { directEngine } from '../session-records/direct-turns.ts';
import { type DirectoryBounds, whyNoCommands } from '../workspace/workspaces.ts';

/** Idle ones kept in memory; the least recently used beyond that is closed and later resumed from the store. */
const maxIdleSessions = 32;
/** A program that is closed has left by then. */
const closeTimeoutMs = 4_000;

/** As much of a session as its engine is started with. */
export type Seed = Pick<Session, 'id' | 'engine' | 'model' | 'cwd' | 'workspace'>;

export interface EngineSessions {
  /** The session's engine, started or resumed. It counts as busy until `release`. */
  take(session: Session, agent: ResolvedAgent): Promise<EngineSession>;
  release(sessionId: string): void;
  /** Closes it without waiting; the next turn resumes from what is stored. */
  discard(sessionId: string): void;
  /** Closes it, one that is still being started too, and waits until it has left or for a moment. */
  remove(sessionId: string): Promise<void>;
  /** Closes it unless it is busy: what it knows is no longer all there is. */
  renew(sessionId: string): void;
  /** Starts it before it is needed, where that takes a while. Failures show when it is. */
  prepare(session: Session, agent: ResolvedAgent): Promise<void>;
  /** A session like this may be opened soon. */
  expect(session: Seed, agent: ResolvedAgent): void;
  nativeTools(session: Session): readonly NativeTool[];
  /** What the session's engine would be started with now. */
  specOf(session: Seed, agent: ResolvedAgent): EngineSpec;
  /** How full the window of a session is, if its engine runs and can tell. */
  contextUsage(sessionId: string): Promise<ContextUsage | undefined>;
  close(): Promise<void>;
}

interface EngineSessionDeps {
  store: Store;
  toolbox: Toolbox;
  logger: Logger;
  findEngine(name: string): Engine;
  /** A trace begins and ends with the engine's program, so the program must begin anew for one. */
  isTraced(sessionId: string): boolean;
  bounds: DirectoryBounds;
}

interface Held {
  session: EngineSession;
  model: string;
  /** Of all else that it was started with. */
  startedWith: string;
}

export function createEngineSessions(deps: EngineSessionDeps): EngineSessions {
  const { store, toolbox, logger, findEngine, isTraced } = deps;
  const busy = new Map<string, Held>();
  const idle = new Map<string, Held>();
  /** Sessions that are being started early. */
  const preparing = new Map<string, Promise<void>>();
  /** Those that were told to leave and have not left yet, by session. */
  const closing = new Map<string, Promise<unknown>>();

  function toSpec(session: Seed, agent: ResolvedAgent): EngineSpec {
    const { role, config, context, ancestorRoles } = agent;
    // Where a person or a program calls tools themselves, no engine brings any.
    const native = session.engine === directEngine ? [] : findEngine(session.engine).nativeTools;
    return {
      sessionId: session.id,
      model: session.model,
      instructions: context ? `${role.instructions}\n\n${context}` : role.instructions,
      cwd: session.cwd,
      maxSteps: config.limits.maxSteps,
      tools: toToolSpecs(toolbox.list(agent)),
      nativeTools: native
        .filter((tool) => judgeNativeTool(role, tool, config, ancestorRoles).offered)
        .map(({ name }) => name),
      commands: toCommandBounds(session, config, deps.bounds),
    };
  }

  const startedWith = (spec: EngineSpec) => toStartedWith(spec, isTraced(spec.sessionId));

  async function start(session: Session, spec: EngineSpec): Promise<Held> {
    const resume = await store.reads.resume(session.id);
    const started = await findEngine(session.engine).start({ ...spec, ...(resume && { resume }) });
    return { session: started, model: spec.model, startedWith: startedWith(spec) };
  }

  /** The idle one, if it is still what the session needs. */
  async function reuse(session: Session, spec: EngineSpec): Promise<Held | undefined> {
    await preparing.get(session.id);
    const held = idle.get(session.id);
    if (!held) return undefined;
    const sameModel = held.model === spec.model;
    if (held.startedWith !== startedWith(spec) || !(sameModel || held.session.setModel)) {
      discard(session.id);
      return undefined;
    }
    if (!sameModel) await held.session.setModel?.(spec.model);
    return { ...held, model: spec.model };
  }

  function keep(sessionId: string, held: Held): void {
    idle.set(sessionId, held);
    const [oldest] = idle.keys();
    if (idle.size > maxIdleSessions && oldest) discard(oldest);
  }

  /** Resolves when it has left, and whichever was told to before it. */
  function closeSession(sessionId: string): Promise<unknown> {
    const found = busy.get(sessionId) ?? idle.get(sessionId);
    const before = closing.get(sessionId) ?? Promise.resolve();
    busy.delete(sessionId);
    idle.delete(sessionId);
    if (!found) return before;
    const left = Promise.allSettled([before, found.session.close()]).then(() => {
      if (closing.get(sessionId) === left) closing.delete(sessionId);
    });
    closing.set(sessionId, left);
    return left;
  }

  const discard = (sessionId: string) => void closeSession(sessionId);

  return {
    async take(session, agent) {
      const spec = toSpec(session, agent);
      const taken = (await reuse(session, spec)) ?? (await start(session, spec));
      idle.delete(session.id);
      busy.set(session.id, taken);
      return taken.session;
    },
    release(sessionId) {
      const released = busy.get(sessionId);
      if (!released) return;
      busy.delete(sessionId);
      keep(sessionId, released);
    },
    discard,
    async remove(sessionId) {
      await preparing.get(sessionId);
      await settleWithin(closeSession(sessionId), AbortSignal.abort(), closeTimeoutMs);
    },
    renew(sessionId) {
      if (!busy.has(sessionId)) discard(sessionId);
    },
    prepare(session, agent) {
      const prepared = start(session, toSpec(session, agent))
        .then((held) => keep(session.id, held))
        .catch((cause: unknown) =>
          logger.info('could not start an engine early', { cause, sessionId: session.id }),
        )
        .finally(() => preparing.delete(session.id));
      preparing.set(session.id, prepared);
      return prepared;
    },
    expect: (session, agent) => findEngine(session.engine).expect?.(toSpec(session, agent)),
    specOf: toSpec,
    nativeTools: ({ engine }) => findEngine(engine).nativeTools,
    contextUsage: async (sessionId) => (busy.get(sessionId) ?? idle.get(sessionId))?.session.contextUsage?.(),
    async close() {
      await Promise.allSettled(preparing.values());
      await Promise.allSettled([...busy.values(), ...idle.values()].map(({ session }) => session.close()));
      await settleWithin(Promise.allSettled(closing.values()), AbortSignal.abort(), closeTimeoutMs);
      busy.clear();
      idle.clear();
    },
  };
}

type Commands = NonNullable<EngineSpec['commands']>;

function toCommandBounds({ cwd, workspace }: Seed, config: Config, bounds: DirectoryBounds): Commands {
  const { security, roots, network } = config.workspace;
  if (security === 'full-control') return 'everything';
  const refusal = whyNoCommands(workspace, bounds);
  if (refusal) return { refusal };
  return { roots: [workspace, cwd, ...roots], hosts: network };
}

/** Schemas are not part of it: they change only with the server. */
function toStartedWith(spec: EngineSpec, isTraced: boolean): string {
  const { instructions, cwd, maxSteps, tools, nativeTools, commands } = spec;
  const names = tools.map(({ name }) => name);
  return JSON.stringify([instructions, cwd, maxSteps, names, nativeTools, commands, isTraced]);
}
