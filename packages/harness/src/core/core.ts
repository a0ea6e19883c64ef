// The core, wired: everything between the doors and the store. Knows no library, no socket and no engine by name.
import {
  type Config,
  type CreateSession,
  type Engine,
  pause,
  type Role,
  type Session,
  type Store,
  type Toolkit,
} from '@toolyard/sdk';
import { createApprovals } from './approvals.ts';
import { createAttempts } from './attempts.ts';
import { boundHooks } from './bounded-hooks.ts';
import { createConfigCheck } from './config-check.ts';
import { createDecisions } from './decisions.ts';
import { createDirectCalls } from './direct-calls.ts';
import { type As, createEngineSessions } from './engine-sessions.ts';
import { createExplainTools } from './explain.ts';
import { createGrants } from './grants.ts';
import { type Hooks, runOnEvent } from './hooks.ts';
import { createIds } from './ids.ts';
import { createJudge } from './judge.ts';
import { createLiveConfig } from './live-config.ts';
import { createLog } from './log.ts';
import type { Models } from './models.ts';
import { createOutputs, type Outputs } from './output.ts';
import { createPathFacts } from './path-facts.ts';
import type { Clock, Logger, Reach } from './ports.ts';
import { createPrices } from './prices.ts';
import { createPrincipals } from './principals.ts';
import { createQuestions } from './questions.ts';
import { recover } from './recovery.ts';
import type { Redact } from './redact.ts';
import { createRetention } from './retention.ts';
import { type RetentionClock, startRetention } from './retention-clock.ts';
import { createRoles } from './roles.ts';
import { createSearch, type Search } from './search.ts';
import { createSearchIndex } from './search-index.ts';
import { createSessionDesk } from './session-desk.ts';
import { createSessionExport } from './session-export.ts';
import { createSessionFork } from './session-fork.ts';
import { createSessionRemoval } from './session-removal.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createSettings } from './settings.ts';
import { createToolRegistry } from './tool-registry.ts';
import { createToolRun } from './tool-run.ts';
import { createToolbox } from './toolbox.ts';
import type { Traces } from './traces.ts';
import { createTranscripts } from './transcripts.ts';
import { createTrust } from './trust.ts';
import { createTurnEnd } from './turn-end.ts';
import { createTurnHost } from './turn-host.ts';
import { createTurnRun } from './turn-run.ts';
import { createTurns } from './turns.ts';
import { createReadUsage } from './usage.ts';
import { createConfigs } from './workspace-config.ts';
import { toWorkspaceContext } from './workspace-context.ts';
import { findWorkspace } from './workspaces.ts';

/** How long a stopping server tries to write what is pending. */
const flushWithinMs = 1_000;

export interface CoreDeps {
  store: Store;
  config: Config;
  /** What the environment and the command add to a configuration. */
  completeConfig(config: Config): Config;
  /** Keys that they set whatever the file says. */
  givenConfig(): ReadonlyMap<string, unknown>;
  clock: Clock;
  logger: Logger;
  reach: Reach;
  hooks: Hooks;
  env: NodeJS.ProcessEnv;
  home: string;
  /** Roles that ship. */
  shippedFolder: string;
  /** Roles of the program around the yard. */
  givenRoles: readonly Role[];
  /** Where whole outputs are kept. */
  outputsFolder: string;
  /** Takes secrets out of what is written down. */
  redact: Redact;
  /** The owner's token. */
  ownerToken: string;
  defaultCwd: string;
  rehearsing: boolean;
  models: Models;
  /** Aborts when this process may no longer write. */
  lost: AbortSignal;
  traces: Traces;
  /** `model` decides when the name is `auto`. */
  findEngine(name: string, model?: string): Engine;
  /** All there are, for the conversations that they keep themselves. */
  engines: readonly Engine[];
  /** The tools, given what they may ask of the core. */
  toolkits(parts: { sessions: Sessions; outputs: Outputs; search: Search }): readonly Toolkit[];
}

export type Core = ReturnType<typeof createCore>;

export function createCore(deps: CoreDeps) {
  const { store, config, clock, logger, reach, findEngine, defaultCwd, traces } = deps;
  const newId = createIds(clock);
  const log = createLog({ store, clock, logger });
  const live = createLiveConfig(config);
  const own = { shippedFolder: deps.shippedFolder, home: deps.home, given: deps.givenRoles, clock };
  const trust = createTrust({ store, config: live, ...own });
  const roles = createRoles({ ...own, trust });
  const configs = createConfigs({ base: live, trust });
  const transcripts = createTranscripts({
    ...{ store, log, clock, logger, newId, config, configs, engines: deps.engines },
    onAdded: (sessionId) => engineSessions.renew(sessionId),
  });
  const sessions = createSessions({
    ...{ store, log, clock, newId, configs, roles, transcripts, findEngine, defaultCwd },
  });
  const outputs = createOutputs({ folder: deps.outputsFolder, logger });
  const configOf = async (sessionId: string) => configs.for((await sessions.get(sessionId)).workspace);
  const closed = new AbortController();
  const hooks = boundHooks(deps.hooks, { outputs, configOf, closed: closed.signal });
  const searchIndex = createSearchIndex({ store, logger });
  const search = createSearch({ store, index: searchIndex });
  const registry = createToolRegistry(deps.toolkits({ sessions, outputs, search }));
  const decisions = createDecisions({ clock, newId, redact: deps.redact });
  const onResolved = decisions.resolved;
  const approvals = createApprovals({ store, log, clock, logger, reach, onResolved });
  const questions = createQuestions({ store, log, clock, logger, newId });
  const judge = createJudge({
    now: () => new Date(clock.now()).toISOString(),
    judgePaths: createPathFacts({ home: deps.home, env: deps.env, roots: config.workspace.roots }),
  });
  const runTool = createToolRun({ outputs, logger });
  const toolbox = createToolbox({
    ...{ registry, store, log, approvals, decisions, judge, runTool, outputs, hooks, clock, newId, logger },
    ...{ questions, reach },
  });
  const endTurn = createTurnEnd({
    ...{ log, approvals, questions, decisions, clock, logger, lost: deps.lost, redact: deps.redact },
  });
  const directCalls = createDirectCalls({ log, toolbox, endTurn, newId, clock });
  const engineSessions = createEngineSessions({
    ...{ store, toolbox, logger, findEngine, isTraced: traces.isTraced },
  });
  const resolve = async ({ role, workspace }: Pick<Session, 'role' | 'workspace'>): Promise<As> => ({
    role: await roles.find(role, workspace),
    config: await configs.for(workspace),
    context: toWorkspaceContext(await trust.read(workspace)),
  });
  const prices = createPrices({ rehearsing: deps.rehearsing, find: deps.models.priceOf });
  const openHost = (scope: Parameters<typeof createTurnHost>[1]) =>
    createTurnHost(
      { store, log, toolbox, questions, prices, logger, engine: findEngine(scope.session.engine) },
      scope,
    );
  const runTurn = createTurnRun({
    ...{
      store,
      log,
      resolve,
      toolbox,
      isWaiting: (turnId) => approvals.isWaiting(turnId) || questions.isWaiting(turnId),
      engineSessions,
      openHost,
      endTurn,
      clock,
      logger,
      reach,
    },
  });
  const open = async (wanted: CreateSession, direct?: string) => {
    const session = await sessions.create(wanted, direct);
    if (wanted.trace) traces.want(session.id, true);
    if (direct) return session;
    void prepare(session);
    return withDoubt(session);
  };
  /** Said to whoever has just named the model, and not kept: the provider itself knows better. */
  const withDoubt = (session: Session): Session => {
    const doubt = deps.models.doubt(session.model);
    return doubt ? { ...session, warnings: [...(session.warnings ?? []), doubt] } : session;
  };
  const prepare = async (session: Session) => {
    await engineSessions.prepare(session, await resolve(session));
  };
  /** The most likely session: the defaults of the default directory. */
  const expectFirst = async () => {
    const workspace = findWorkspace(defaultCwd);
    const { defaults } = await configs.for(workspace);
    const engine = findEngine(defaults.engine, defaults.model);
    if (!engine.expect) return;
    const seed = { id: '', engine: engine.id, model: defaults.model, cwd: defaultCwd };
    engineSessions.expect(seed, await resolve({ role: defaults.role, workspace }));
  };
  const turns = createTurns({
    store,
    log,
    runTurn,
    clock,
    newId,
    logger,
    reach,
    prepare: transcripts.prepare,
    checkContent: deps.models.checkContent,
  });
  const removal = createSessionRemoval({
    ...{ store, log, clock, logger, reach, turns, directCalls, engineSessions, transcripts, outputs, traces },
  });
  const retention = createRetention({
    ...{ store, clock, logger, home: deps.home, config: config.retention },
    deleteSession: removal.deleteUntouched,
  });
  let sweeps: RetentionClock | undefined;
  const fork = createSessionFork({
    ...{ store, log, clock, newId, reach, transcripts, outputs, findEngine },
  });
  const settings = createSettings({
    ...{ store, clock, live, home: deps.home, complete: deps.completeConfig, given: deps.givenConfig },
    check: createConfigCheck({
      roles,
      findEngine,
      models: deps.models,
      workspace: findWorkspace(defaultCwd),
    }),
  });
  const principals = createPrincipals({ store, clock, newId, ownerToken: deps.ownerToken });
  principals.onRevoked(directCalls.stopOf);
  store.onCommitted((events) => {
    for (const event of events) void runOnEvent(hooks, event, logger);
  });

  return {
    ...{
      store,
      log,
      roles,
      trust,
      configs,
      sessions: { ...sessions, create: open },
      sessionDesk: createSessionDesk({
        store,
        log,
        clock,
        engineSessions,
        resolve,
        traces,
        findEngine,
        withDoubt,
      }),
      sessionExport: createSessionExport({ store, clock, sessions }),
      fork,
      removal,
      search,
      outputs,
      registry,
      approvals,
      questions,
      toolbox,
      turns,
    },
    ...{ defaultCwd, logger, models: deps.models },
    callDirectly: directCalls.call,
    /** Something is under way that a stop would cut off. */
    isBusy: () => turns.isBusy() || directCalls.isBusy(),
    explainTools: createExplainTools({ registry, store, clock, findEngine }),
    settings,
    readUsage: createReadUsage({ reads: store.reads, clock }),
    grants: createGrants({ store, registry, clock }),
    principals,
    attempts: createAttempts(clock),
    /** After a start: what the last run left behind. */
    async recover(): Promise<void> {
      transcripts.start();
      searchIndex.start();
      await removal.recover();
      await approvals.recover();
      await questions.recover();
      await recover({ store, endTurn, prices, wake: turns.wake });
      sweeps = startRetention(retention, logger);
      void expectFirst().catch((cause: unknown) => logger.info('nothing was made ready', { cause }));
    },
    /** Ends turns and calls, then what they used. */
    async close(): Promise<void> {
      await Promise.all([turns.close(), directCalls.close(), sweeps?.close()]);
      closed.abort();
      approvals.close();
      questions.close();
      await Promise.all([engineSessions.close(), transcripts.close(), searchIndex.close(), removal.close()]);
      await traces.close();
      // What was left to ride with the next commit, unless the disk refuses.
      const flushed = new AbortController();
      log.defer(async () => {}).then(() => flushed.abort());
      await pause(flushWithinMs, flushed.signal);
    },
  };
}
