// The core, wired: everything between the doors and the store. Knows no library, no socket and no engine by name.

import { createResolve } from './access/standing.ts';
import { createTrust } from './access/trust.ts';
import { createSpendGate } from './agents/spend-gate.ts';
import { createTaskDesk } from './agents/task-desk.ts';
import { createAgentParts } from './agents/wire.ts';
import { createApprovals } from './approvals/approvals.ts';
import { createDecisions } from './approvals/decisions.ts';
import { createQuestions } from './approvals/questions.ts';
import { createReadUsage } from './budget/usage.ts';
import { createExplainTools } from './calls/explain.ts';
import { boundHooks, runOnEvent } from './calls/hooks.ts';
import { createOutputs } from './calls/output.ts';
import { createToolRegistry } from './calls/tool-registry.ts';
import { createToolbox } from './calls/toolbox.ts';
import { createLiveConfig } from './config/live-config.ts';
import type { CoreDeps } from './core-deps.ts';
import { createCoreLife } from './core-life.ts';
import { createGrants } from './grants/grants.ts';
import { createAttempts } from './identity/attempts.ts';
import { createPrincipals } from './identity/principals.ts';
import { createIds } from './lib/ids.ts';
import { createLog } from './log/log.ts';
import { createPrices } from './models/prices.ts';
import { createPathFacts } from './protected-paths/path-facts.ts';
import { createRetention } from './retention/retention.ts';
import { createRoles } from './roles/roles.ts';
import { createSearch } from './search/search.ts';
import { createSearchIndex } from './search/search-index.ts';
import { createSessionDesk } from './session-ops/session-desk.ts';
import { createSessionExport } from './session-ops/session-export.ts';
import { createSessionFork } from './session-ops/session-fork.ts';
import { createSessionOpening } from './session-ops/session-opening.ts';
import { createSessionRemoval } from './session-ops/session-removal.ts';
import { createSessions } from './sessions/sessions.ts';
import { createConfigCheck } from './settings/config-check.ts';
import { toToolNames, warnOfUnknownTools } from './settings/named-tools.ts';
import { createSettings } from './settings/settings.ts';
import { createTasks } from './tasks/tasks.ts';
import { createTranscripts } from './transcripts/transcripts.ts';
import { createDirectCalls } from './turns/direct-calls.ts';
import { createEngineSessions } from './turns/engine-sessions.ts';
import { createTurnEnd } from './turns/turn-end.ts';
import { createTurnHost } from './turns/turn-host.ts';
import { createTurnRun } from './turns/turn-run.ts';
import { createTurns } from './turns/turns.ts';
import { createConfigs } from './workspace/workspace-config.ts';
import { findWorkspace } from './workspace/workspaces.ts';

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
    store,
    log,
    clock,
    logger,
    newId,
    config,
    configs,
    engines: deps.engines,
    onAdded: (sessionId) => engineSessions.renew(sessionId),
  });
  const resolve = createResolve({ store, trust, roles, configs });
  const tasks = createTasks({ store, clock });
  const sessions = createSessions({
    store,
    log,
    clock,
    newId,
    configs,
    roles,
    tasks,
    transcripts,
    findEngine,
    defaultCwd,
  });
  const agentParts = createAgentParts({
    store,
    log,
    clock,
    logger,
    reach,
    newId,
    defaultCwd,
    roles,
    tasks,
    trust,
    config: live.current,
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
  const judgePaths = createPathFacts({ home: deps.home, env: deps.env, roots: config.workspace.roots });
  const toolbox = createToolbox({
    registry,
    store,
    log,
    approvals,
    decisions,
    judgePaths,
    outputs,
    hooks,
    clock,
    newId,
    logger,
    questions,
    reach,
  });
  const unstored = new Set<string>();
  const endTurn = createTurnEnd({
    log,
    approvals,
    questions,
    decisions,
    life,
    clock,
    logger,
    lost: deps.lost,
    redact: deps.redact,
    unstored,
  });
  const directCalls = createDirectCalls({ log, toolbox, endTurn, newId, clock, redact: deps.redact });
  const engineSessions = createEngineSessions({
    store,
    toolbox,
    logger,
    findEngine,
    isTraced: traces.isTraced,
  });
  const prices = createPrices({ rehearsing: deps.rehearsing, find: deps.models.priceOf });
  const openHost = (scope: Parameters<typeof createTurnHost>[1]) =>
    createTurnHost(
      { store, log, toolbox, questions, prices, logger, engine: findEngine(scope.session.engine) },
      scope,
    );
  const runTurn = createTurnRun({
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
  });
  const opening = createSessionOpening({
    sessions,
    engineSessions,
    traces,
    models: deps.models,
    configs,
    resolve,
    findEngine,
    defaultCwd,
  });
  const turns = createTurns({
    store,
    log,
    runTurn,
    clock,
    newId,
    logger,
    reach,
    unstored,
    endAgents: agentParts.endAgents,
    revive: agentParts.revive,
    prepare: transcripts.prepare,
    checkContent: deps.models.checkContent,
  });
  const removal = createSessionRemoval({
    store,
    log,
    clock,
    logger,
    reach,
    turns,
    directCalls,
    engineSessions,
    transcripts,
    outputs,
    traces,
    endFamily: agentParts.endFamily,
  });
  const retention = createRetention({
    store,
    clock,
    logger,
    home: deps.home,
    config: config.retention,
    deleteSession: removal.deleteUntouched,
  });
  const fork = createSessionFork({
    store,
    log,
    clock,
    newId,
    reach,
    transcripts,
    outputs,
    findEngine,
  });
  const settings = createSettings({
    store,
    clock,
    live,
    home: deps.home,
    complete: deps.completeConfig,
    given: deps.givenConfig,
    check: createConfigCheck({
      roles,
      findEngine,
      models: deps.models,
      tools: toolNames,
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
    engineSessions,
    opening,
    retention,
    endTurn,
    prices,
    closed,
    waits: toolbox.waits,
    finishLeftovers: agentParts.finishLeftovers,
  });
  warnOfUnknownTools(config, toolNames, logger);

  return {
    ...lifetime,
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
    defaultCwd,
    logger,
    resolve,
    toolNames,
    models: deps.models,
    callDirectly: directCalls.call,
    /** Something is under way that a stop would cut off. */
    isBusy: () => turns.isBusy() || directCalls.isBusy(),
    explainTools: createExplainTools({ registry, store, clock, findEngine }),
    settings,
    readUsage: createReadUsage({ reads: store.reads, clock }),
    grants: createGrants({
      store,
      clock,
      schemaHashOf: (tool) => registry.get(tool)?.schemaHash,
    }),
    principals,
    attempts: createAttempts(clock),
  };
}
