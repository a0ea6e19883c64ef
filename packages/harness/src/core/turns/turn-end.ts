// How a turn ends: one commit that settles its open calls, its row, its session and its last events together.
import {
  addCost,
  type EventDraft,
  Failure,
  pause,
  type Session,
  type StoreWrites,
  ToolyardError,
  type TurnHead,
  type TurnOutcome,
} from '@toolyard/sdk';
import type { AgentLifecycle } from '../agents/agent-lifecycle.ts';
import type { Approvals } from '../approvals/approvals.ts';
import { type Decisions, hasPending, system } from '../approvals/decisions.ts';
import type { Questions } from '../approvals/questions.ts';
import { chargeIn } from '../budget/run-row.ts';
import { isAnythingSpent, nothingSpent, type Spent } from '../budget/turn-spending.ts';
import { toResultEvent } from '../calls/call-record.ts';
import { outcomeUnknown, toFailed } from '../calls/tool-run.ts';
import type { Clock, Logger } from '../lib/ports.ts';
import type { Append, Log } from '../log/log.ts';
import type { Redact } from '../operator-log/redact.ts';
import { isDirectTurn } from '../session-records/direct-turns.ts';

const retryDelayMs = 250;

interface TurnEndDeps {
  log: Log;
  approvals: Approvals;
  questions: Questions;
  decisions: Decisions;
  lifecycle: Pick<AgentLifecycle, 'settleIn'>;
  clock: Clock;
  logger: Logger;
  /** Aborts when this process may no longer write. */
  lost: AbortSignal;
  /** A provider that refuses a key may quote it. */
  redact: Redact;
  /** Turns whose end is being tried again: whoever waits for one is told why. */
  unstored: Set<string>;
}

/**
 * Ends a turn. While the disk refuses, it keeps trying; until it is stored nobody is told. A row that can never be stored
 * must not keep the turn from its end: then it ends without its account.
 */
export type EndTurn = (turn: TurnHead, outcome: TurnOutcome, spent: Spent) => Promise<void>;

export function createTurnEnd(deps: TurnEndDeps): EndTurn {
  const { log, approvals, questions, decisions, lifecycle, clock, logger, lost, redact, unstored } = deps;
  async function store(turn: TurnHead, outcome: TurnOutcome, spent: Spent): Promise<void> {
    const { costUsd } = spent;
    const at = new Date(clock.now()).toISOString();
    const error = 'error' in outcome ? hideSecrets(outcome.error, redact) : undefined;
    const cancelled = await log.commit(turn.sessionId, async (tx, append) => {
      const cancelling = await approvals.cancelOf(tx, append, turn.id);
      const unanswered = await questions.cancelOf(tx, append, turn.id);
      const session = await tx.session(turn.sessionId);
      if (session) await settleOpenCalls({ tx, append, decisions, at, session }, turn);
      await tx.updateTurn(turn.id, { state: outcome.outcome, costUsd, endedAt: at, ...(error && { error }) });
      const end: EventDraft = {
        type: 'turn_end',
        data: { turnId: turn.id, outcome: outcome.outcome, costUsd, ...(error && { error }) },
      };
      const status = session && (await settleSession(tx, session, { costUsd, at }));
      // A call beside a conversation is not what the conversation failed at.
      const before = error && !isDirectTurn(turn) ? [toErrorEvent(error)] : [];
      await append(...toUncountedEvents(spent), ...before, end, ...(status ? [status] : []));
      if (session && spent.uncharged) await chargeIn(tx, session, turn, { ...spent.uncharged, at });
      if (session?.agentId || session?.taskSlug) await lifecycle.settleIn(tx, turn, outcome, error);
      if (session && spent !== unaccounted) await keepAccount(tx, session, turn, { spent, endedAt: at });
      return { cancelling, unanswered };
    });
    for (const approval of cancelled.cancelling) approvals.announce(approval);
    for (const question of cancelled.unanswered) questions.announce(question);
  }

  const end: EndTurn = async (turn, outcome, spent) => {
    let account = spent;
    while (!lost.aborted) {
      try {
        return await store(turn, outcome, account);
      } catch (thrown) {
        const { id: turnId, sessionId } = turn;
        logger.error('could not write the end of a turn yet', { cause: thrown, turnId, sessionId });
        if (!(thrown instanceof ToolyardError && thrown.code === 'storage_failed')) return;
        const isRefused = thrown.data?.reason === 'refused';
        if (isRefused && account === unaccounted) return;
        if (isRefused) account = unaccounted;
        else {
          unstored.add(turnId);
          await pause(retryDelayMs, lost);
        }
      }
    }
  };
  return (turn, outcome, spent) => end(turn, outcome, spent).finally(() => unstored.delete(turn.id));
}

/** Something was spent, and nobody knows how much. */
const unaccounted: Spent = { ...nothingSpent, costUsd: null };

function hideSecrets({ code, message, data }: Failure, redact: Redact): Failure {
  return Failure.parse({ code, message: redact(message), ...(data && { data: redact(data) }) });
}

/** The log says all that was charged. */
function toUncountedEvents({ uncharged }: Spent): EventDraft[] {
  if (!uncharged || uncharged.usd === 0) return [];
  const data = { inputTokens: 0, outputTokens: 0, costUsd: null, estimatedUsd: uncharged.usd };
  return [{ type: 'usage', data }];
}

function toErrorEvent(error: Failure) {
  return { type: 'error' as const, data: error };
}

interface Settling {
  tx: StoreWrites;
  append: Append;
  decisions: Decisions;
  at: string;
  session: Session;
}

/** A call that began and has no result is shown as unknown, and never run again; one that did not begin has failed. */
async function settleOpenCalls(settling: Settling, turn: TurnHead): Promise<void> {
  const { tx, append, decisions, at, session } = settling;
  for (const row of await tx.toolCalls(turn.id)) {
    if (row.result) continue;
    const call = { id: row.callId, name: row.tool };
    const began = row.state === 'started';
    const result = began
      ? outcomeUnknown(call, 'the turn ended during the call')
      : toFailed(call, 'The call was not run: the turn ended first.');
    await tx.putToolCall({ ...row, state: began ? 'unknown' : 'failed', result, endedAt: at });
    if (began) {
      // Who made a direct call is not in its row, and may be gone.
      const agent = { kind: 'agent', id: session.id, via: session.engine } as const;
      const actor = isDirectTurn(turn) ? system : agent;
      await tx.appendAudit({ ...decisions.about(session, row), kind: 'result', outcome: 'unknown', actor });
    }
    await append(toResultEvent(result));
  }
}

/** What a turn used is known by itself, also when its session is gone. */
async function keepAccount(
  tx: StoreWrites,
  { id: sessionId, role, model, rootSessionId, parentAgentId, agentId, depth }: Session,
  { id: turnId, originTurnId }: TurnHead,
  { spent, endedAt }: { spent: Spent; endedAt: string },
): Promise<void> {
  if (!isAnythingSpent(spent)) return;
  const run = agentId ? await tx.dispatch(agentId) : undefined;
  const lineage = { rootSessionId, ...(parentAgentId && { parentAgentId }), ...(depth && { depth }) };
  const account = { turnId, sessionId, role, model, endedAt, runId: run?.runId ?? originTurnId, ...lineage };
  await tx.putUsage({ ...account, ...spent });
}

/** What the session is from here on; gives the event that says so, unless another will. */
async function settleSession(
  tx: StoreWrites,
  { id: sessionId, costUsd: before }: Session,
  { costUsd, at }: { costUsd: number | null; at: string },
): Promise<EventDraft | undefined> {
  const open = await tx.openTurns(sessionId);
  const isAsked = open.length > 0 && (await hasPending(tx, sessionId));
  const status = isAsked ? 'waiting' : open.length > 0 ? 'running' : 'idle';
  await tx.updateSession(sessionId, { status, costUsd: addCost(before, costUsd), updatedAt: at });
  // A queued turn says itself that it begins.
  const isQueued = open.every(({ state }) => state === 'queued') && open.length > 0;
  return isQueued ? undefined : { type: 'session_status', data: { status } };
}
