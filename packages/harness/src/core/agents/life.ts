// An agent's life around its turn: it waits for a slot, gets its account and its worktree, works, and its end is stored in
// the commit that ends the turn. A person's own turn has an account, too, and counts as work on its task.
import { relative, resolve } from 'node:path';
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
import type { Log } from '../log.ts';
import type { Clock, Logger, Reach } from '../ports.ts';
import type { Account } from './account.ts';
import { tellAgent } from './agent-rows.ts';
import type { Awaiting } from './awaiting.ts';
import { isTimeUp, toEnd, toExcerpt } from './ending.ts';
import { chainOf } from './family.ts';
import type { Ledger } from './ledger.ts';
import { toLimitError } from './run-limits.ts';
import { minutesOf } from './run-row.ts';
import type { Slots } from './slots.ts';

const minuteMs = 60_000;

export interface LifeDeps {
  store: Store;
  log: Log;
  clock: Clock;
  logger: Logger;
  reach: Reach;
  slots: Slots;
  ledger: Ledger;
  awaiting: Pick<Awaiting, 'ended'>;
  worktrees: WorktreeLife;
  /** A copy of a trusted workspace is trusted like it. */
  inheritTrust(from: string, to: string): Promise<void>;
  /** Ends all that work under a session, or only those of one run. */
  killBelow(sessionId: string, runId?: string): Promise<void>;
  /** An agent is called once: nobody needs its program afterwards. */
  closeEngine(sessionId: string): Promise<void>;
}

/** As much of worktrees as an agent's life needs. */
export interface WorktreeLife {
  open(plan: Worktree & { cwd: string }, signal?: AbortSignal): Promise<unknown>;
  finish(worktree: Worktree, ended: { keep: boolean; taskSlug: string }): Promise<Worktree>;
}

/** A turn that may use models. */
export interface Seat {
  /** Its account, and of an agent a signal that aborts when the run has taken all of its time. */
  open(as: { role: Role; config: Config }): Promise<{ account: Account; timeUp: AbortSignal | undefined }>;
  /** It has spent this before a restart. */
  goOn(costUsd: number | null): Promise<void>;
  /** Before the turn's end is stored: whatever works under it, or was changed by it. */
  finish(outcome: TurnOutcome, lastText: string): Promise<void>;
  /** After it. */
  leave(): void;
}

export type Life = ReturnType<typeof createLife>;

export function createLife(deps: LifeDeps) {
  const { store, log, clock, logger, slots, ledger, awaiting, worktrees } = deps;
  const now = () => new Date(clock.now()).toISOString();
  /** What is known of an end before it is stored, by turn. */
  const endings = new Map<string, { lastText: string; worktree?: Worktree }>();
  const accounts = new Map<string, Account>();
  /** Sessions that wait for a person: with how many calls, and since when. */
  const absences = new Map<string, { calls: number; since: number }>();

  /** While `work` does nothing but wait, neither a slot nor money is held for the session. */
  async function aside<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    accounts.get(sessionId)?.release();
    return slots.without(sessionId, work);
  }

  /** What the task remembers of a turn that a person has sent themselves. */
  function remember(session: Session, turn: Turn, runId: string): DispatchRow | undefined {
    const { taskSlug, role, engine, model, id: sessionId, rootSessionId } = session;
    if (!taskSlug || session.agentId) return undefined;
    const at = now();
    const row: DispatchRow = {
      ...{ id: turn.id, role, taskSlug, status: 'running', sessionId, rootSessionId, depth: 0, runId },
      ...{ engine, model, prompt: toExcerpt(turn.content), draftedAt: at, startedAt: at, costUsd: 0 },
      ...{ budgetUsd: null, drafted: false, turnId: turn.id, maxDepth: 0, maxChildren: 0, ceiling: [] },
    };
    void log.defer(async (tx) => {
      if ((await tx.task(taskSlug)) && !(await tx.dispatch(turn.id))) await tx.insertDispatch(row);
    }, sessionId);
    return row;
  }

  function begin({ id, sessionId }: DispatchRow, turn: Turn): void {
    const at = now();
    const isGoneOnWith = turn.state === 'running';
    void log.defer(async (tx) => {
      await tx.updateDispatch(id, { status: 'running', ...(!isGoneOnWith && { startedAt: at }) });
      await tellAgent(tx, id, at);
    }, sessionId);
  }

  /** Ends what the run has no time for any more. Only agents: a person who waits has all the time. */
  function watchTime({ run }: Account): { signal: AbortSignal; clear(): void } {
    const controller = new AbortController();
    let timer: NodeJS.Timeout;
    const look = () => {
      const { limits, row, awaySince } = run;
      const leftMs = (limits.wallMinutes - minutesOf(row, awaySince ?? clock.now())) * minuteMs;
      if (leftMs > 0) timer = setTimeout(look, Math.min(Math.max(leftMs + 1, 50), 2 ** 31 - 1)).unref();
      else {
        const used = minutesOf(row, clock.now());
        controller.abort(toLimitError({ limit: 'wallMinutes', max: limits.wallMinutes, used }));
      }
    };
    look();
    return { signal: controller.signal, clear: () => clearTimeout(timer) };
  }

  async function finishWorktree({ id, sessionId, taskSlug, worktree, keepWorktree = false }: DispatchRow) {
    if (!worktree) return undefined;
    try {
      // Nothing of the agent may still write there.
      await deps.closeEngine(sessionId);
      return await worktrees.finish(worktree, { keep: keepWorktree, taskSlug });
    } catch (cause) {
      logger.warn('a worktree could not be finished', { cause, agentId: id });
      return { ...worktree, kept: true };
    }
  }

  async function prepareWorktree(
    { cwd, workspace }: Session,
    worktree: Worktree,
    signal: AbortSignal,
  ): Promise<void> {
    await worktrees.open({ ...worktree, cwd }, signal);
    await deps.inheritTrust(toOrigin(worktree, workspace), workspace);
  }

  return {
    /**
     * Resolves when the turn may begin; with nothing when `signal` came first. Throws what makes it impossible, such as a
     * worktree that cannot be made.
     */
    async enter(session: Session, turn: Turn, signal: AbortSignal): Promise<Seat | undefined> {
      const [own, ...above] = await chainOf(store.reads, session);
      const runId = own?.runId ?? turn.originTurnId;
      if (own && !(await slots.enter(session.id, runId, signal))) return undefined;
      const agent = own && isLive(own) ? own : undefined;
      const work = own ?? remember(session, turn, runId);
      let leaveAccount = () => {};
      const leave = () => {
        leaveAccount();
        slots.leave(session.id);
        endings.delete(turn.id);
        if (agent) void deps.closeEngine(session.id).catch(() => {});
      };
      try {
        if (agent) begin(agent, turn);
        if (agent?.worktree) await prepareWorktree(session, agent.worktree, signal);
        deps.reach('agent.begun');
      } catch (thrown) {
        leave();
        throw thrown;
      }
      return {
        leave,
        goOn: ledger.goOn,
        async open(as) {
          const isNew = turn.id === runId && turn.state === 'queued';
          const facts = {
            ...{ isNew, lastActiveAt: session.updatedAt },
            ...(session.rootSessionId === session.id && { as }),
          };
          const account = await ledger.open(runId, session, work ? [work, ...above] : [], facts);
          accounts.set(session.id, account);
          const time = agent ? watchTime(account) : undefined;
          leaveAccount = () => {
            time?.clear();
            account.close();
            accounts.delete(session.id);
          };
          return { account, timeUp: time?.signal };
        },
        async finish(outcome, lastText) {
          if (outcome.outcome === 'interrupted' || isTimeUp(outcome))
            await deps.killBelow(session.id, agent ? undefined : runId);
          const worktree = agent && (await finishWorktree(agent));
          endings.set(turn.id, { lastText, ...(worktree && { worktree }) });
        },
      };
    },

    /** Inside the commit that ends a turn: the work ends with it, and its result is never lost. */
    async settleIn(tx: StoreWrites, turn: TurnHead, outcome: TurnOutcome, error?: Failure): Promise<void> {
      const row = await tx.dispatchOfTurn(turn.id);
      if (!row || !isLive(row)) return;
      const { lastText = '', worktree } = endings.get(turn.id) ?? {};
      const end = toEnd(row, outcome, { lastText, error });
      await tx.updateDispatch(row.id, { ...end, endedAt: now(), ...(worktree && { worktree }) });
      if (await tx.task(row.taskSlug)) await tx.updateTask(row.taskSlug, { updatedAt: now() });
      await tellAgent(tx, row.id, now());
    },

    /** After that commit. */
    ended(session: Pick<Session, 'agentId'>): void {
      if (session.agentId) awaiting.ended(session.agentId);
    },

    aside,

    /** The same while a person is waited for: if it is the root that waits, that is not the run's time. */
    async asideForPerson<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
      const wait = absences.get(sessionId) ?? { calls: 0, since: clock.now() };
      wait.calls++;
      absences.set(sessionId, wait);
      const own = accounts.get(sessionId)?.run;
      if (own?.row.rootSessionId === sessionId) own.awaySince ??= wait.since;
      try {
        return await aside(sessionId, work);
      } finally {
        wait.calls--;
        if (wait.calls === 0) {
          absences.delete(sessionId);
          if (own?.row.rootSessionId === sessionId) {
            own.awaySince = undefined;
            ledger.addWait(own, clock.now() - wait.since);
          }
        }
      }
    },

    accountOf: (sessionId: string) => accounts.get(sessionId),
  };
}

/** Where a workspace in a worktree is a copy from: `.worktrees/<id>` lies in its repository. */
function toOrigin({ path }: Worktree, workspace: string): string {
  return resolve(path, '..', '..', relative(path, workspace));
}
