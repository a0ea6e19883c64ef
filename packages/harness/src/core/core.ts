// The core, wired: everything between the doors and the store. Knows no library, no socket and no engine by name.
import { type Config, type Engine, pause, type Session, type Store, type Toolkit } from '@toolyard/sdk';
import { createApprovals } from './approvals.ts';
import { createAttempts } from './attempts.ts';
import { createDecisions } from './decisions.ts';
import { createDirectCalls } from './direct-calls.ts';
import { createEngineSessions } from './engine-sessions.ts';
import { createGrants } from './grants.ts';
import type { Hooks } from './hooks.ts';
import { createIds } from './ids.ts';
import { createJudge } from './judge.ts';
import { createLog } from './log.ts';
import { createOutputs, type Outputs } from './output.ts';
import type { Clock, Logger, Reach } from './ports.ts';
import { createPrices } from './prices.ts';
import { createPrincipals } from './principals.ts';
import { createQuestions } from './questions.ts';
import { recover } from './recovery.ts';
import { createRedact } from './redact.ts';
import { createRoles } from './roles.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createToolRegistry } from './tool-registry.ts';
import { createToolRun } from './tool-run.ts';
import { createToolbox } from './toolbox.ts';
import { createTrust } from './trust.ts';
import { createTurnEnd } from './turn-end.ts';
import { createTurnHost } from './turn-host.ts';
import { createTurnRun } from './turn-run.ts';
import { createTurns } from './turns.ts';
import { createConfigs } from './workspace-config.ts';

/** How long a stopping server tries to write what is pending. */
const flushWithinMs = 1_000;

export interface CoreDeps {
  store: Store;
  config: Config;
  clock: Clock;
  logger: Logger;
  reach: Reach;
  hooks: Hooks;
  env: NodeJS.ProcessEnv;
  home: string;
  /** Roles that ship. */
  shippedFolder: string;
  /** Where whole outputs are kept. */
  outputsFolder: string;
  /** The owner's token. */
  ownerToken: string;
  defaultCwd: string;
  rehearsing: boolean;
  /** Aborts when this process may no longer write. */
  lost: AbortSignal;
  findEngine(name: string): Engine;
  /** The tools, given what they may ask of the core. */
  toolkits(parts: { sessions: Sessions; outputs: Outputs }): readonly Toolkit[];
}

export type Core = ReturnType<typeof createCore>;

export function createCore(deps: CoreDeps) {
  const { store, config, clock, logger, reach, hooks, findEngine, defaultCwd } = deps;
  const newId = createIds(clock);
  const log = createLog({ store, clock, logger });
  const trust = createTrust({ store, clock, home: deps.home, shippedFolder: deps.shippedFolder, config });
  const roles = createRoles({ shippedFolder: deps.shippedFolder, home: deps.home, clock, trust });
  const configs = createConfigs({ base: config, trust });
  const sessions = createSessions({ store, log, clock, newId, configs, roles, findEngine, defaultCwd });
  const outputs = createOutputs({ folder: deps.outputsFolder });
  const registry = createToolRegistry(deps.toolkits({ sessions, outputs }));
  const decisions = createDecisions({ clock, newId, redact: createRedact(deps.env, [deps.ownerToken]) });
  const onResolved = decisions.resolved;
  const approvals = createApprovals({ store, log, clock, logger, reach, onResolved });
  const questions = createQuestions({ store, log, clock, logger, newId });
  const judge = createJudge({ now: () => new Date(clock.now()).toISOString() });
  const runTool = createToolRun({ outputs, logger });
  const toolbox = createToolbox({
    ...{ registry, store, log, approvals, decisions, judge, runTool, hooks, clock, newId, logger, reach },
  });
  const endTurn = createTurnEnd({ log, approvals, questions, clock, logger, lost: deps.lost });
  const directCalls = createDirectCalls({ store, log, toolbox, endTurn, newId, clock });
  const engineSessions = createEngineSessions({ store, findEngine });
  const price = createPrices({ rehearsing: deps.rehearsing });
  const openHost = (scope: Parameters<typeof createTurnHost>[1]) =>
    createTurnHost({ log, toolbox, questions, price, engine: findEngine(scope.session.engine) }, scope);
  const runTurn = createTurnRun({
    ...{
      store,
      log,
      roles,
      configs,
      toolbox,
      approvals,
      engineSessions,
      openHost,
      endTurn,
      clock,
      logger,
      reach,
    },
  });
  const turns = createTurns({ store, log, runTurn, clock, newId, logger, reach });
  const onEvent = hooks.onEvent;
  if (onEvent) store.onCommitted((events) => events.forEach((event) => void onEvent(event)));

  return {
    ...{
      store,
      log,
      roles,
      trust,
      configs,
      sessions,
      outputs,
      registry,
      approvals,
      questions,
      toolbox,
      turns,
    },
    ...{ defaultCwd, logger },
    callDirectly: directCalls.call,
    /** Something is under way that a stop would cut off. */
    isBusy: () => turns.isBusy() || directCalls.isBusy(),
    grants: createGrants({ store, registry }),
    principals: createPrincipals({ store, clock, newId, ownerToken: deps.ownerToken }),
    attempts: createAttempts(clock),
    /** After a start: what the last run left behind. */
    async recover(): Promise<void> {
      await approvals.recover();
      await recover({ store, endTurn, wake: turns.wake, isDirect });
    },
    /** Ends turns, then what they used. */
    async close(): Promise<void> {
      await turns.close();
      approvals.close();
      await engineSessions.close();
      // What was left to ride with the next commit, unless the disk refuses.
      const flushed = new AbortController();
      log.defer(async () => {}).then(() => flushed.abort());
      await pause(flushWithinMs, flushed.signal);
    },
  };
}

function isDirect(session: Session): boolean {
  return session.engine === 'direct';
}
