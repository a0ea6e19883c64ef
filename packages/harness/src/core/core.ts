// The core: everything between HTTP and the store, room by room. Knows no library, no socket and no engine by name.
import { homedir } from 'node:os';
import { createAccess } from './access/resolved-agent.ts';
import { createAgentParts } from './agents/agent-parts.ts';
import { createTaskAccess } from './agents/task-access.ts';
import { createApprovals } from './approvals/approvals.ts';
import { createDecisions } from './approvals/decisions.ts';
import { createQuestions } from './approvals/questions.ts';
import { createReadUsage } from './budget/usage.ts';
import { createExplainTools } from './calls/explain.ts';
import { boundHooks, followEvents } from './calls/hooks.ts';
import { createOutputs } from './calls/output.ts';
import { createToolRegistry } from './calls/tool-registry.ts';
import { createToolbox } from './calls/toolbox.ts';
import { createLiveConfig } from './config/current-config.ts';
import { createConfigEditor } from './config-editor/config-editor.ts';
import { toToolNames, warnOfUnknownTools } from './config-editor/unknown-tools.ts';
import type { CoreDeps } from './core-deps.ts';
import { createLifetime } from './core-lifetime.ts';
import { createGrants } from './grants/grants.ts';
import { createLoginThrottle } from './identity/login-throttle.ts';
import { createPrincipals } from './identity/principals.ts';
import { createIds } from './lib/ids.ts';
import { createLog } from './log/log.ts';
import { createPrices } from './models/prices.ts';
import { createPathFacts } from './protected-paths/path-facts.ts';
import { createRetention } from './retention/retention.ts';
import { createSearch } from './search/search.ts';
import { createSearchIndex } from './search/search-index.ts';
import { createSessionRecords } from './session-records/session-records.ts';
import { createSessions } from './sessions/sessions.ts';
import { createTasks } from './tasks/tasks.ts';
import { createTranscripts } from './transcripts/transcripts.ts';
import { createTurns } from './turns/turns.ts';
import { findWorkspace, requireSessionDirectory, warnOfRefused } from './workspace/workspaces.ts';

export type Core = ReturnType<typeof createCore>;

export function createCore(deps: CoreDeps) {
  const { store, config, clock, logger, onCrashPoint, home, findEngine, defaultCwd, models, traces, redact } =
    deps;
  const log = createLog({ store, clock, logger });
  /** What most rooms use. */
  const base = { store, log, clock, logger, onCrashPoint, newId: createIds(clock) };
  const closed = new AbortController();

  // Who may do what, and what is kept of sessions.
  const live = createLiveConfig(config);
  const { shippedFolder, givenRoles } = deps;
  const access = createAccess({ store, clock, home, shippedFolder, givenRoles, live });
  const { roles, configs, readFiles, resolve } = access;
  const onAdded = (sessionId: string) => turns.engineSessions.renew(sessionId);
  const transcripts = createTranscripts({ ...base, config, configs, engines: deps.engines, onAdded });
  const tasks = createTasks(base);
  const userHome = deps.env.HOME || homedir();
  const bounds = { home, userHome, workspace: config.workspace };
  const records = createSessionRecords({
    ...base,
    ...access,
    tasks,
    transcripts,
    findEngine,
    defaultCwd,
    bounds,
  });
  const searchIndex = createSearchIndex(base);
  const search = createSearch({ store, index: searchIndex });

  // Agents, and the people who are asked.
  const agentParts = createAgentParts({
    ...base,
    ...access,
    tasks,
    defaultCwd,
    config: live.current,
    worktrees: deps.worktrees,
    stopTurn: (...stopped) => turns.stop(...stopped),
    removeEngine: (sessionId) => turns.engineSessions.remove(sessionId),
  });
  const waitWithoutSlot = agentParts.lifecycle.waitForPerson;
  const decisions = createDecisions({ ...base, redact });
  const approvals = createApprovals({ ...base, waitWithoutSlot, onResolved: decisions.resolved });
  const questions = createQuestions({ ...base, waitWithoutSlot, onRaised: agentParts.onRaised });
  const wake = (sessionId: string) => turns.wake(sessionId);
  const agents = agentParts.open({ records, questions, wake });
  const taskAccess = createTaskAccess({ ...base, tasks, agents });

  // Tools, and the one place that runs them.
  const outputs = createOutputs({ folder: deps.outputsFolder, logger });
  const registry = createToolRegistry(deps.toolkits({ records, outputs, search, agents, taskAccess }));
  const toolNames = toToolNames(registry);
  const configOf = async (sessionId: string) =>
    configs.forFiles(await readFiles(await records.get(sessionId)));
  const hooks = boundHooks(deps.hooks, { outputs, configOf, closed: closed.signal });
  const judgePaths = createPathFacts({ home, userHome, roots: config.workspace.roots });
  const asking = { approvals, questions, decisions };
  const toolbox = createToolbox({ ...base, ...asking, registry, outputs, hooks, judgePaths });

  // Turns, and all that is done with sessions.
  const turns = createTurns({
    ...base,
    ...asking,
    toolbox,
    agents: agentParts,
    prices: createPrices({ rehearsing: deps.rehearsing, find: models.priceOf }),
    resolve,
    bounds,
    checkDirectory: (session) => requireSessionDirectory(session, bounds),
    findEngine,
    redact,
    lost: deps.lost,
    isTraced: traces.isTraced,
    prepare: transcripts.prepare,
    checkContent: models.checkContent,
  });
  const { endDescendants } = agentParts;
  const sessions = createSessions({
    ...base,
    ...access,
    records,
    turns,
    transcripts,
    outputs,
    traces,
    models,
    findEngine,
    defaultCwd,
    endDescendants,
  });
  const deleteSession = sessions.deleteUntouched;
  const retention = createRetention({ ...base, home, config: config.retention, deleteSession });

  // What people set.
  const configEditor = createConfigEditor({
    ...base,
    home,
    live,
    models,
    findEngine,
    roles,
    complete: deps.completeConfig,
    given: deps.givenConfig,
    tools: toolNames,
    workspace: findWorkspace(defaultCwd),
  });
  const principals = createPrincipals({ ...base, ownerToken: deps.ownerToken, port: deps.port });
  const schemaHashOf = (tool: string) => registry.get(tool)?.schemaHash;

  live.onReplaced(agentParts.serveSlots);
  principals.onRevoked(turns.directCalls.stopOf);
  principals.onRevoked(agentParts.endAgentsOf);
  followEvents(hooks, store, logger);
  warnOfUnknownTools(config, toolNames, logger);
  warnOfRefused(defaultCwd, bounds, logger);

  return {
    ...access,
    store,
    log,
    logger,
    models,
    defaultCwd,
    sessions,
    search,
    outputs,
    approvals,
    questions,
    toolbox,
    toolNames,
    turns,
    agents,
    taskAccess,
    configEditor,
    principals,
    callDirectly: turns.directCalls.call,
    explainTools: createExplainTools({ registry, store, clock, findEngine }),
    readUsage: createReadUsage({ reads: store.reads, clock }),
    grants: createGrants({ store, clock, schemaHashOf }),
    loginThrottle: createLoginThrottle(clock),
    ...createLifetime({
      ...base,
      ...asking,
      traces,
      transcripts,
      searchIndex,
      sessions,
      turns,
      retention,
      agents: agentParts,
      closed,
    }),
  };
}
