// The queue of each session: messages are accepted durably and run one at a time, in order; a turn can be interrupted,
// withdrawn and retried.
import {
  type Content,
  pause,
  type Session,
  type Store,
  type StoreWrites,
  ToolyardError,
  type Turn,
} from '@toolyard/sdk';
import type { ReopenAgent } from '../agents/reopen-agent.ts';
import type { NewId } from '../lib/ids.ts';
import type { Clock, Logger, OnCrashPoint } from '../lib/ports.ts';
import { settleWithin, stillRunning } from '../lib/settle-within.ts';
import type { Append, Log } from '../log/log.ts';
import { directEngine } from '../session-records/direct-turns.ts';
import { refuseUnknown } from '../session-records/session-records.ts';
import { toTitle } from '../session-records/titles.ts';
import { createCancelledMessages } from './cancelled-messages.ts';
import type { RunTurn } from './turn-run.ts';

/** A turn that was told to stop has ended by then, unless the disk refuses its end or much is left to be cleared away. */
const endTimeoutMs = 4_250;
const retryDelayMs = 250;

export interface TurnQueueDeps {
  store: Store;
  log: Log;
  runTurn: RunTurn;
  /** Brings in what was said elsewhere, so that it stands before what is said now. */
  prepare(sessionId: string): Promise<void>;
  /** Throws when the session's model could not be given what a message holds. */
  checkContent(model: string, content: Content): void;
  /** Ends all agents that work under a session, as a turn that is stopped does itself. Says whether they have ended. */
  endAgents(sessionId: string): Promise<boolean>;
  reopenAgent: ReopenAgent;
  /** Turns whose end the disk refuses to store. */
  unstored: ReadonlySet<string>;
  clock: Clock;
  newId: NewId;
  logger: Logger;
  onCrashPoint: OnCrashPoint;
}

export interface Accepted {
  turnId: string;
  /** Number of the message in the log; for a retry, of the last event before it. */
  seq: number;
}

interface Worker {
  /** A turn was queued while the worker was looking for one. */
  again: boolean;
  /** `ended` says whether all that had to end has ended. */
  current?: { turnId: string; controller: AbortController; ended: Promise<boolean> };
  done: Promise<void>;
}

export type TurnQueue = ReturnType<typeof createTurnQueue>;

export function createTurnQueue(deps: TurnQueueDeps) {
  const { store, log, runTurn, prepare, checkContent, clock, newId, logger, onCrashPoint, reopenAgent } =
    deps;
  const workers = new Map<string, Worker>();
  const cancelledMessages = createCancelledMessages({ log, clock });
  /** Sessions that are being deleted. */
  const halted = new Set<string>();
  /** Sessions in which nothing that was sent so far may go on, and why. */
  const stopping = new Map<string, ToolyardError>();
  let closing = false;

  log.onStuck((sessionId, error) => workers.get(sessionId)?.current?.controller.abort(error));

  /** Lets the session's queued turns run; first, after a restart, the one that was under way. */
  function wake(sessionId: string, underWay?: Turn): void {
    const worker = workers.get(sessionId);
    if (worker) worker.again = true;
    else if (!closing) {
      const fresh: Worker = { again: false, done: Promise.resolve() };
      workers.set(sessionId, fresh);
      fresh.done = work(sessionId, fresh, underWay);
    }
  }

  async function work(sessionId: string, worker: Worker, underWay?: Turn): Promise<void> {
    let first = underWay;
    do {
      worker.again = false;
      try {
        if (first) await runOne(worker, first);
        first = undefined;
        for (let turn = await next(sessionId); turn; turn = await next(sessionId)) await runOne(worker, turn);
      } catch (thrown) {
        logger.error('the queue of a session is stuck', { cause: thrown, sessionId });
        worker.again = thrown instanceof ToolyardError && thrown.code === 'storage_failed';
        if (worker.again) await pause(retryDelayMs);
      }
    } while (worker.again);
    workers.delete(sessionId);
  }

  async function next(sessionId: string): Promise<Turn | undefined> {
    return closing || halted.has(sessionId) ? undefined : store.reads.nextTurn(sessionId);
  }

  async function runOne(worker: Worker, turn: Turn): Promise<void> {
    // Between the last look and the start nothing may come.
    while (cancelledMessages.isUnderWay(turn.id)) if (await cancelledMessages.isCancelled(turn.id)) return;
    const controller = new AbortController();
    const reason = stopping.get(turn.sessionId);
    if (reason) controller.abort(reason);
    const ended = runToEnd(worker, turn, controller.signal);
    worker.current = { turnId: turn.id, controller, ended };
    await ended;
  }

  async function runToEnd(worker: Worker, turn: Turn, signal: AbortSignal): Promise<boolean> {
    try {
      await runTurn(turn, signal);
      // One that was done already when it was interrupted has left its agents at work.
      return !isInterrupt(signal.reason) || (await deps.endAgents(turn.sessionId));
    } finally {
      delete worker.current;
    }
  }

  function newTurn(rest: Pick<Turn, 'sessionId' | 'content' | 'seq'> & Partial<Turn>): Turn {
    const id = newId('trn');
    const createdAt = new Date(clock.now()).toISOString();
    return { id, originTurnId: id, state: 'queued', costUsd: 0, createdAt, ...rest };
  }

  function refuseWhenClosing(): void {
    if (closing) throw new ToolyardError('shutting_down', 'The server is stopping. Try again in a moment.');
  }

  return {
    wake,

    /** Resolves once the message is durable. The same key and content answers as the first time did. */
    async accept(sessionId: string, content: Content, idempotencyKey?: string): Promise<Accepted> {
      refuseWhenClosing();
      await prepare(sessionId);
      const fresh = newTurn({ sessionId, content, seq: 0, ...(idempotencyKey && { idempotencyKey }) });
      const accepted = await log.commit(sessionId, async (tx, append) => {
        if (halted.has(sessionId)) refuseUnknown(sessionId);
        const session = requireConversation((await tx.session(sessionId)) ?? refuseUnknown(sessionId));
        const earlier = idempotencyKey ? await tx.turnByKey(sessionId, idempotencyKey) : undefined;
        if (earlier) return sameMessage(earlier, content);
        checkContent(session.model, content);
        const [message] = await append({ type: 'user_message', data: { content, turnId: fresh.id } });
        const seq = message?.seq ?? 0;
        await tx.insertTurn({ ...fresh, seq });
        await markRunning(tx, append, session);
        if (!session.title) await tx.updateSession(sessionId, { title: toTitle(content) });
        if (session.taskSlug) await describeTask(tx, session.taskSlug, toTitle(content));
        return { turnId: fresh.id, seq };
      });
      onCrashPoint('message.accepted');
      wake(sessionId);
      return accepted;
    },

    /**
     * Stops the running turn and all agents under the session; answers when they have ended. Queued messages go on. With
     * `turnId`, takes back the message of that turn; one that has begun is let be.
     */
    async interrupt(sessionId: string, turnId?: string): Promise<{ turnId: string | null }> {
      if (!(await store.reads.session(sessionId))) refuseUnknown(sessionId);
      const current = workers.get(sessionId)?.current;
      if (turnId !== undefined) {
        const isCancelled = turnId !== current?.turnId && (await cancelledMessages.cancel(sessionId, turnId));
        return { turnId: isCancelled ? turnId : null };
      }
      current?.controller.abort(new ToolyardError('interrupted', 'The turn was interrupted.'));
      const isOver = current ? await waitForEnd(current.ended) : await deps.endAgents(sessionId);
      if (isOver !== true) throw notEnded(deps.unstored);
      return { turnId: current?.turnId ?? null };
    },

    /** Stops the turn under way and all that are queued behind it. Resolves when they have ended, rejects after `timeoutMs`. */
    async stop(sessionId: string, reason: ToolyardError, timeoutMs: number): Promise<void> {
      const worker = workers.get(sessionId);
      if (!worker) return;
      stopping.set(sessionId, reason);
      worker.current?.controller.abort(reason);
      const late = await waitForEnd(worker.done, timeoutMs);
      stopping.delete(sessionId);
      if (late === stillRunning) throw notEnded(deps.unstored);
    },

    /** Queues the last turn again, to go on from where it stopped. */
    async retry(sessionId: string): Promise<Accepted> {
      refuseWhenClosing();
      await prepare(sessionId);
      const limits = await reopenAgent.limits(sessionId);
      const accepted = await log.commit(sessionId, async (tx, append) => {
        const session = requireConversation((await tx.session(sessionId)) ?? refuseUnknown(sessionId));
        const { originTurnId, content, seq, id: retryOf } = requireStopped(await tx.latestTurn(sessionId));
        const turn = newTurn({ sessionId, content, seq, originTurnId, retryOf });
        await tx.insertTurn(turn);
        await markRunning(tx, append, session);
        await reopenAgent.in(tx, retryOf, turn, limits);
        return { turnId: turn.id, seq: await tx.lastSeq(sessionId) };
      });
      wake(sessionId);
      return accepted;
    },

    /** Before a session is deleted: stops its turn, lets no other begin and takes no message. */
    async halt(sessionId: string): Promise<void> {
      halted.add(sessionId);
      const worker = workers.get(sessionId);
      worker?.current?.controller.abort(new ToolyardError('interrupted', 'The session is being deleted.'));
      if (!worker || (await waitForEnd(worker.done)) !== stillRunning) return;
      halted.delete(sessionId);
      throw notEnded(deps.unstored);
    },

    /** It was deleted, or it was not: then its queue goes on. */
    release(sessionId: string): void {
      if (halted.delete(sessionId)) wake(sessionId);
    },

    isBusy: () => workers.size > 0,

    /** Stops taking work and ends running turns as `restarted`. What is queued, or cannot end, the next start sees to. */
    async close(): Promise<void> {
      closing = true;
      const message = 'The server stopped during this turn. Retry to continue.';
      const reason = new ToolyardError('restarted', message);
      for (const { current } of workers.values()) current?.controller.abort(reason);
      await waitForEnd(Promise.all([...workers.values()].map(({ done }) => done)));
    },
  };
}

/** From here on there is something to wait for, though nobody has begun with it. */
async function markRunning(tx: StoreWrites, append: Append, { id, status }: Session): Promise<void> {
  if (status !== 'idle') return;
  await tx.updateSession(id, { status: 'running' });
  await append({ type: 'session_status', data: { status: 'running' } });
}

function waitForEnd<T>(work: Promise<T>, timeoutMs = endTimeoutMs): Promise<T | typeof stillRunning> {
  return settleWithin(work, AbortSignal.abort(), timeoutMs);
}

function isInterrupt(reason: unknown): boolean {
  return reason instanceof ToolyardError && reason.code === 'interrupted';
}

/** The same key and content answers as the first time did. */
function sameMessage(earlier: Turn, content: Content): { turnId: string; seq: number } {
  if (JSON.stringify(earlier.content) === JSON.stringify(content))
    return { turnId: earlier.id, seq: earlier.seq };
  throw new ToolyardError(
    'idempotency_conflict',
    'This Idempotency-Key was used for another message. Use a new key.',
    {
      data: { turnId: earlier.id },
    },
  );
}

/** A task that was only named is about what is first said on it. */
async function describeTask(tx: StoreWrites, slug: string, description: string): Promise<void> {
  const task = await tx.task(slug);
  if (task?.status === 'open' && task.description === '') await tx.updateTask(slug, { description });
}

/** In a session made for one tool call nobody is there to talk to. */
function requireConversation(session: Session): Session {
  if (session.engine !== directEngine) return session;
  const hint = 'Create another session to talk to an agent.';
  throw new ToolyardError('nothing_to_retry', `This session exists for a tool call only. ${hint}`);
}

function requireStopped(turn: Turn | undefined): Turn {
  if (turn && turn.state !== 'completed' && turn.state !== 'queued' && turn.state !== 'running') return turn;
  const why = turn ? `The last turn is ${turn.state}.` : 'The session has no turn yet.';
  throw new ToolyardError('nothing_to_retry', `There is nothing to retry. ${why}`);
}

/** For whoever has waited long enough. `unstored`: turns whose end the disk refuses. */
function notEnded(unstored: ReadonlySet<string>): ToolyardError {
  const refused =
    'The turn was stopped, but the server cannot write to its disk. It will store the end of the turn as soon as it can.';
  if (unstored.size > 0) return new ToolyardError('storage_failed', refused);
  const slow = 'The turn is still stopping: the work of its agents is being saved. Check again in a moment.';
  return new ToolyardError('session_busy', slow);
}
