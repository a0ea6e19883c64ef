// An agent's lifecycle around its turn: it waits for a slot, gets its account and its worktree, works, and its end is stored in
// the commit that ends the turn. A person's own turn has an account, too, and counts as work on its task.
import {
  type Config,
  type DispatchRow,
  type Failure,
  isLive,
  type Role,
  type Session,
  type Store,
  type StoreWrites,
  type Turn,
  type TurnHead,
  type TurnOutcome,
  type Worktree,
} from '@toolyard/sdk';
import { appendAgentUpdate, startIn } from '../agent-records/agent-records.ts';
import { readAgentChain } from '../agent-records/agent-tree.ts';
import type { Account } from '../budget/account.ts';
import type { Ledger } from '../budget/ledger.ts';
import { toLimitError } from '../budget/run-limits.ts';
import type { Clock, OnCrashPoint } from '../lib/ports.ts';
import { isRestart } from '../lib/stop-reasons.ts';
import type { Log } from '../log/log.ts';
import { readLastText, toEnd, toExcerpt } from './agent-outcome.ts';
import type { AgentWorktrees } from './agent-worktrees.ts';
import type { Awaiting } from './await-agents.ts';
import { createOrphans, type OrphanDeps } from './orphans.ts';
import type { Slots } from './slots.ts';

/** Whether an agent's time can still be asked about changes with the answers. */
const recheckIntervalMs = 30_000;

export interface LifecycleDeps extends OrphanDeps {
  store: Store;
  log: Log;
  clock: Clock;
  onCrashPoint: OnCrashPoint;
  slots: Slots;
  ledger: Ledger;
  awaiting: Pick<Awaiting, 'ended'>;
  worktrees: Pick<AgentWorktrees, 'prepare' | 'finish'>;
  /** An agent is called once: nobody needs its program afterwards. */
  closeEngine(sessionId: string): Promise<void>;
}

/** A turn that may use models. */
export interface RunSlot {
  /** Its account, and of an agent a signal that aborts when the run has taken all of its time. */
  open(as: { role: Role; config: Config }): Promise<{ account: Account; timeUp: AbortSignal | undefined }>;
  /** It has spent this before a restart. */
  resumeSpending(chargedUsd: number): Promise<void>;
  /** Before the turn's end is stored: whatever works under it, or was changed by it. */
  finish(outcome: TurnOutcome, lastText: string): Promise<void>;
  /** After it. */
  release(): void;
}

export type AgentLifecycle = ReturnType<typeof createAgentLifecycle>;

export function createAgentLifecycle(deps: LifecycleDeps) {
  const { store, log, clock, slots, ledger, awaiting, worktrees } = deps;
  const orphans = createOrphans(deps);
  const now = () => new Date(clock.now()).toISOString();
  /** What is known of an end before it is stored, by turn. */
  const endings = new Map<string, { lastText?: string; worktree?: Worktree }>();
  const accounts = new Map<string, Account>();
  /** Sessions that wait for a person: with how many calls, and since when. */
  const personWaits = new Map<string, { calls: number; since: number }>();

  /** While `work` does nothing but wait, neither a slot nor money is held for the session. */
  async function waitWithoutSlot<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    accounts.get(sessionId)?.release();
    return slots.runWithoutSlot(sessionId, work);
  }

  /** What the task remembers of a turn that a person has sent themselves. */
  function recordDispatch(session: Session, turn: Turn, runId: string): DispatchRow | undefined {
    const { taskSlug, role, engine, model, id: sessionId, rootSessionId } = session;
    if (!taskSlug || session.agentId) return undefined;
    const at = now();
    const row: DispatchRow = {
      id: turn.id,
      role,
      taskSlug,
      status: 'running',
      sessionId,
      rootSessionId,
      depth: 0,
      runId,
      engine,
      model,
      prompt: toExcerpt(turn.content),
      draftedAt: at,
      startedAt: at,
      costUsd: 0,
      budgetUsd: null,
      drafted: false,
      turnId: turn.id,
      maxDepth: 0,
      maxChildren: 0,
      ceiling: [],
    };
    void log.defer(async (tx) => {
      const isOpen = (await tx.task(taskSlug))?.status === 'open';
      if (isOpen && !(await tx.dispatch(turn.id))) await tx.insertDispatch(row);
    }, sessionId);
    return row;
  }

  function begin(row: DispatchRow, turn: Turn): void {
    const isResumed = turn.state === 'running';
    // Told when it is written: what stands before it in the log was told earlier.
    void log.defer((tx) => startIn(tx, row, { isResumed, at: now() }), row.sessionId);
  }

  /** Ends what there is no time for any more. Only agents: a person who waits has all the time. */
  function startTimeLimit(account: Account, { limits }: Config): { signal: AbortSignal; clear(): void } {
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const check = () => {
      const time = account.time({ asks: limits.onLimit === 'ask' });
      // Somebody may be asked for more now; once nobody may, the time ends here.
      if (!time) {
        timer = setTimeout(check, recheckIntervalMs).unref();
        return;
      }
      const { leftMs, reached } = time;
      if (leftMs > 0) timer = setTimeout(check, Math.min(Math.max(leftMs + 1, 50), 2 ** 31 - 1)).unref();
      else controller.abort(toLimitError(reached));
    };
    check();
    return { signal: controller.signal, clear: () => clearTimeout(timer) };
  }

  return {
    /**
     * Resolves when the turn may begin; with nothing when `signal` came first. Throws what makes it impossible, such as a
     * worktree that cannot be made.
     */
    async acquireSlot(session: Session, turn: Turn, signal: AbortSignal): Promise<RunSlot | undefined> {
      const [own, ...ancestors] = await readAgentChain(store.reads, session);
      const runId = own?.runId ?? turn.originTurnId;
      if (own && !(await slots.acquire(session.id, runId, signal))) return undefined;
      const agent = own && isLive(own) ? own : undefined;
      const work = own ?? recordDispatch(session, turn, runId);
      let closeAccount = () => {};
      const release = () => {
        closeAccount();
        slots.release(session.id);
        orphans.forget(agent);
        if (agent) void deps.closeEngine(session.id).catch(() => {});
      };
      try {
        if (agent) begin(agent, turn);
        if (agent) await worktrees.prepare(agent, session, signal);
        deps.onCrashPoint('agent.begun');
      } catch (thrown) {
        const worktree = agent && !isRestart(signal.reason) ? await worktrees.finish(agent) : undefined;
        if (worktree) endings.set(turn.id, { worktree });
        release();
        throw thrown;
      }
      return {
        release,
        resumeSpending: ledger.resumeSpending,
        async open(as) {
          const isNew = turn.id === runId && turn.state === 'queued';
          const facts = {
            isNew,
            begins: turn.state === 'queued',
            ...(session.rootSessionId === session.id && { as }),
          };
          const account = await ledger.open(runId, session, work ? [work, ...ancestors] : [], facts);
          accounts.set(session.id, account);
          const time = agent ? startTimeLimit(account, as.config) : undefined;
          closeAccount = () => {
            time?.clear();
            account.close();
            accounts.delete(session.id);
          };
          return { account, timeUp: time?.signal };
        },
        async finish(outcome, lastText) {
          await orphans.end({ sessionId: session.id, runId }, outcome, agent);
          const worktree = agent && (await worktrees.finish(agent));
          endings.set(turn.id, { lastText, ...(worktree && { worktree }) });
          accounts.get(session.id)?.end();
        },
      };
    },

    /** Inside the commit that ends a turn: the work ends with it, and its result is never lost. */
    async settleIn(tx: StoreWrites, turn: TurnHead, outcome: TurnOutcome, error?: Failure): Promise<void> {
      const row = await tx.dispatchOfTurn(turn.id);
      if (!row || !isLive(row)) return;
      const { lastText = await readLastText(tx, turn), worktree } = endings.get(turn.id) ?? {};
      const why = outcome.outcome === 'interrupted' ? await orphans.why(tx, row, turn) : error;
      const end = toEnd(row, outcome, { lastText, error: why });
      await tx.updateDispatch(row.id, { ...end, endedAt: now(), ...(worktree && { worktree }) });
      if (await tx.task(row.taskSlug)) await tx.updateTask(row.taskSlug, { updatedAt: now() });
      await appendAgentUpdate(tx, row.id, now());
    },

    /** After that commit. */
    ended(session: Pick<Session, 'agentId'>, turn: Pick<Turn, 'id'>): void {
      endings.delete(turn.id);
      if (session.agentId) awaiting.ended(session.agentId);
    },

    waitWithoutSlot,

    /** The same while a person is waited for: if it is the root that waits, that is not the run's time. */
    async waitForPerson<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
      const wait = personWaits.get(sessionId) ?? { calls: 0, since: clock.now() };
      wait.calls++;
      personWaits.set(sessionId, wait);
      const own = accounts.get(sessionId)?.run;
      if (own?.row.rootSessionId === sessionId) own.waitingSince ??= wait.since;
      try {
        return await waitWithoutSlot(sessionId, work);
      } finally {
        wait.calls--;
        if (wait.calls === 0) {
          personWaits.delete(sessionId);
          if (own?.row.rootSessionId === sessionId) {
            own.waitingSince = undefined;
            ledger.addWait(own, clock.now() - wait.since);
          }
        }
      }
    },

    accountOf: (sessionId: string) => accounts.get(sessionId),
  };
}
