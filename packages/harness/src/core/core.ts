// The core, wired: everything between the doors and the store. Knows no library, no socket and no engine by name.
import { createSpendGate } from './agents/spend-gate.ts';
import { createAgentParts } from './agents/wire.ts';
import { createApprovals } from './approvals.ts';
import { createAttempts } from './attempts.ts';
import { boundHooks } from './bounded-hooks.ts';
import { createConfigCheck } from './config-check.ts';
import type { CoreDeps } from './core-deps.ts';
import { createCoreLife } from './core-life.ts';
import { createDecisions } from './decisions.ts';
import { createDirectCalls } from './direct-calls.ts';
import { createEngineSessions } from './engine-sessions.ts';
import { createExplainTools } from './explain.ts';
import { createGrants } from './grants.ts';
import { runOnEvent } from './hooks.ts';
import { createIds } from './ids.ts';
import { createJudge } from './judge.ts';
import { createLiveConfig } from './live-config.ts';
import { createLog } from './log.ts';
import { toToolNames, warnOfUnknownTools } from './named-tools.ts';
import { createOutputs } from './output.ts';
import { createPathFacts } from './path-facts.ts';
import { createPrices } from './prices.ts';
import { createPrincipals } from './principals.ts';
import { createQuestions } from './questions.ts';
import { createRetention } from './retention.ts';
import { createRoles } from './roles.ts';
import { createSearch } from './search.ts';
import { createSearchIndex } from './search-index.ts';
import { createSessionDesk } from './session-desk.ts';
import { createSessionExport } from './session-export.ts';
import { createSessionFork } from './session-fork.ts';
import { createSessionOpening } from './session-opening.ts';
import { createSessionRemoval } from './session-removal.ts';
import { createSessions } from './sessions.ts';
import { createSettings } from './settings.ts';
import { createResolve } from './standing.ts';
import { createTaskDesk } from './task-desk.ts';
import { createTasks } from './tasks.ts';
import { createToolRegistry } from './tool-registry.ts';
import { createToolRun } from './tool-run.ts';
import { createToolbox } from './toolbox.ts';
import { createTranscripts } from './transcripts.ts';
import { createTrust } from './trust.ts';
import { createTurnEnd } from './turn-end.ts';
import { createTurnHost } from './turn-host.ts';
import { createTurnRun } from './turn-run.ts';
import { createTurns } from './turns.ts';
import { createReadUsage } from './usage.ts';
import { createConfigs } from './workspace-config.ts';
import { findWorkspace } from './workspaces.ts';

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
  const resolve = createResolve({ store, trust, roles, configs });
  const tasks = createTasks({ store, clock });
  const sessions = createSessions({
    ...{ store, log, clock, newId, configs, roles, tasks, transcripts, findEngine, defaultCwd },
  });
  const agentParts = createAgentParts({
    ...{ store, log, clock, logger, reach, newId, defaultCwd, roles, tasks, trust, config: live.current },
    resolve,
    worktrees: deps.worktrees,
    stopTurn: (...stopped) => turns.stop(...stopped),
    removeEngine: (sessionId) => engineSessions.remove(sessionId),
  });
  const { life, followRaise } = agentParts;
  const { asideForPerson: aside } = life;
  const outputs = createOutputs({ folder: deps.outputsFolder, logger });
  const configOf = async (sessionId: string) => configs.for((await sessions.get(sessionId)).workspace);
  const closed = new AbortController();
  const hooks = boundHooks(deps.hooks, { outputs, configOf, closed: closed.signal });
  const searchIndex = createSearchIndex({ store, logger });
  const search = createSearch({ store, index: searchIndex });
  const decisions = createDecisions({ clock, newId, redact: deps.redact });
  const onResolved = decisions.resolved;
  const approvals = createApprovals({ store, log, clock, logger, reach, onResolved, aside });
  const questions = createQuestions({ store, log, clock, logger, newId, aside, followRaise });
  const agents = agentParts.open({ sessions, questions, wake: (sessionId) => turns.wake(sessionId) });
  const taskDesk = createTaskDesk({ store, clock, tasks, agents });
  const registry = createToolRegistry(deps.toolkits({ sessions, outputs, search, agents, taskDesk }));
  const toolNames = toToolNames(registry);
  const judge = createJudge({
    now: () => new Date(clock.now()).toISOString(),
    judgePaths: createPathFacts({ home: deps.home, env: deps.env, roots: config.workspace.roots }),
  });
  const runTool = createToolRun({ outputs, logger });
  const toolbox = createToolbox({
    ...{ registry, store, log, approvals, decisions, judge, runTool, outputs, hooks, clock, newId, logger },
    ...{ questions, reach },
  });
  const unstored = new Set<string>();
  const endTurn = createTurnEnd({
    ...{ log, approvals, questions, decisions, life, clock, logger, lost: deps.lost, redact: deps.redact },
    unstored,
  });
  const directCalls = createDirectCalls({ log, toolbox, endTurn, newId, clock, redact: deps.redact });
  const engineSessions = createEngineSessions({
    ...{ store, toolbox, logger, findEngine, isTraced: traces.isTraced },
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
      isWaiting: ({ id, sessionId }) =>
        approvals.isWaiting(id) || questions.isWaiting(id) || agentParts.isAwaiting(sessionId),
      engineSessions,
      openHost,
      life,
      openGate: (scope) => createSpendGate({ questions, prices }, scope),
      endTurn,
      clock,
      logger,
      reach,
    },
  });
  const opening = createSessionOpening({
    ...{ sessions, engineSessions, traces, models: deps.models, configs, resolve, findEngine, defaultCwd },
  });
  const turns = createTurns({
    ...{ store, log, runTurn, clock, newId, logger, reach, unstored },
    endAgents: agentParts.endAgents,
    revive: agentParts.revive,
    prepare: transcripts.prepare,
    checkContent: deps.models.checkContent,
  });
  const removal = createSessionRemoval({
    ...{ store, log, clock, logger, reach, turns, directCalls, engineSessions, transcripts, outputs, traces },
    endFamily: agentParts.endFamily,
  });
  const retention = createRetention({
    ...{ store, clock, logger, home: deps.home, config: config.retention },
    deleteSession: removal.deleteUntouched,
  });
  const fork = createSessionFork({
    ...{ store, log, clock, newId, reach, transcripts, outputs, findEngine },
  });
  const settings = createSettings({
    ...{ store, clock, live, home: deps.home, complete: deps.completeConfig, given: deps.givenConfig },
    check: createConfigCheck({
      ...{ roles, findEngine, models: deps.models, tools: toolNames },
      workspace: findWorkspace(defaultCwd),
    }),
  });
  const principals = createPrincipals({ store, clock, newId, ownerToken: deps.ownerToken });
  principals.onRevoked(directCalls.stopOf);
  principals.onRevoked((id) => {
    agentParts
      .endAgentsOf(id)
      .catch((cause: unknown) => logger.warn('agents of a token work on', { cause, id }));
  });
  live.onReplaced(agentParts.serveSlots);
  store.onCommitted((events) => {
    for (const event of events) void runOnEvent(hooks, event, logger);
  });

  const lifetime = createCoreLife({
    ...{
      store,
      log,
      logger,
      traces,
      transcripts,
      searchIndex,
      removal,
      approvals,
      questions,
      turns,
      directCalls,
    },
    ...{ engineSessions, opening, retention, endTurn, prices, closed, waits: toolbox.waits },
    finishLeftovers: agentParts.finishLeftovers,
  });
  warnOfUnknownTools(config, toolNames, logger);

  return {
    ...lifetime,
    ...{
      store,
      log,
      roles,
      trust,
      configs,
      sessions: { ...sessions, create: opening.open },
      sessionDesk: createSessionDesk({
        store,
        log,
        clock,
        engineSessions,
        resolve,
        traces,
        findEngine,
        withDoubt: opening.withDoubt,
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
      agents,
      taskDesk,
    },
    ...{ defaultCwd, logger, resolve, toolNames, models: deps.models },
    callDirectly: directCalls.call,
    /** Something is under way that a stop would cut off. */
    isBusy: () => turns.isBusy() || directCalls.isBusy(),
    explainTools: createExplainTools({ registry, store, clock, findEngine }),
    settings,
    readUsage: createReadUsage({ reads: store.reads, clock }),
    grants: createGrants({ store, registry, clock }),
    principals,
    attempts: createAttempts(clock),
  };
}
