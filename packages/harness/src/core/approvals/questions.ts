// Questions: what an agent asks its person. Durable, answered once, cancelled with their turn. They survive a restart, and
// their clock stands still while the server is down.
import {
  type Actor,
  type Answer,
  type Asked,
  type AskedFilter,
  type AskedLimit,
  type Config,
  type EventDraft,
  type Question,
  type QuestionState,
  type RunRow,
  type Session,
  type Store,
  type StoreWrites,
  ToolyardError,
} from '@toolyard/sdk';
import { appendAtRoot } from '../agent-records/agent-records.ts';
import { ofAgent, toChangeEntry, toLineage } from '../audit/audit-changes.ts';
import { ensureRun } from '../budget/run-row.ts';
import type { NewId } from '../lib/ids.ts';
import type { Clock, Logger } from '../lib/ports.ts';
import type { Append, Log } from '../log/log.ts';
import { resumeSession, setStatus, system } from './decisions.ts';
import { createPending, type PendingDeps } from './pending.ts';
import {
  createSharedQuestions,
  resumeSharedTurns,
  type SharedQuestionDeps,
  share,
} from './shared-questions.ts';

export interface QuestionDeps {
  store: Store;
  log: Log;
  clock: Clock;
  logger: Logger;
  newId: NewId;
  waitWithoutSlot: PendingDeps['waitWithoutSlot'];
  onRaised: SharedQuestionDeps['onRaised'];
}

export interface AskScope {
  session: Session;
  config: Config;
  turnId: string;
  signal: AbortSignal;
}

interface QuestionEnd {
  state: QuestionState;
  answer?: Answer;
  decidedBy?: Actor;
}

export type Questions = ReturnType<typeof createQuestions>;

export function createQuestions(deps: QuestionDeps) {
  const { store, log, clock, logger, newId, waitWithoutSlot } = deps;
  const pending = createPending<Question>(
    { store, log, clock, logger, waitWithoutSlot },
    {
      name: 'question',
      read: (from, id) => from.question(id),
      list: (from, filter) => from.questions(filter),
      put: (tx, question) => tx.putQuestion(question),
      expire: ({ id }) => endNow(id, () => ({ state: 'expired' })),
      describe: () => 'This question',
    },
  );
  const { get, requirePending, announce, settled, terms, recover, close } = pending;
  const now = () => new Date(clock.now()).toISOString();
  const shared = createSharedQuestions({ store, log, clock, onRaised: deps.onRaised });

  async function end(
    tx: StoreWrites,
    append: Append,
    question: Question,
    rest: QuestionEnd,
  ): Promise<Question> {
    const ended = { ...question, ...rest, decidedAt: now() };
    await tx.putQuestion(ended);
    const { id: questionId, state, answer } = ended;
    const event: EventDraft = {
      type: 'question_resolved',
      data: { questionId, state, ...(answer && { answer }) },
    };
    await append(event);
    await appendAtRoot(tx, question, now(), event);
    await exitPlanMode(tx, append, ended, clock);
    await resumeSession(tx, append, question.sessionId);
    await resumeSharedTurns(tx, ended, now());
    return ended;
  }

  /** Moves a pending question to its end, in one commit. Refuses one that has ended. */
  async function endNow(id: string, toEnd: (question: Question) => QuestionEnd): Promise<Question> {
    const { sessionId } = await get(id);
    const ended = await shared.end((raise) =>
      log.commit(sessionId, async (tx, append) => {
        const question = await requirePending(tx, id);
        const ending = await end(tx, append, question, toEnd(question));
        await raise(tx, ending);
        return ending;
      }),
    );
    announce(ended);
    return ended;
  }

  function toQuestion(asked: Asked, { session, config, turnId }: AskScope): Question {
    return {
      ...asked,
      id: newId('qst'),
      sessionId: session.id,
      rootSessionId: session.rootSessionId,
      turnId,
      state: 'pending',
      lineage: toLineage(session),
      createdAt: now(),
      ...terms(config),
    };
  }

  /** Inside a commit. Throws `too_many_pending`. */
  async function put(tx: StoreWrites, append: Append, question: Question, config: Config): Promise<Question> {
    await requireRoom(tx, question.sessionId, config);
    await tx.putQuestion(question);
    const event: EventDraft = { type: 'question_required', data: { question } };
    await append(event);
    await appendAtRoot(tx, question, now(), event);
    await setStatus(tx, append, question.sessionId, 'waiting');
    return question;
  }

  return {
    get,
    announce,
    close,

    /** Does the turn wait for an answer, or has it one that it has not gone on with? */
    isWaiting: (turnId: string): boolean => pending.isWaiting(turnId) || shared.isWaiting(turnId),
    acknowledgeAnswers: shared.acknowledgeAnswers,

    /** Asks, and resolves with how it ended. Throws `too_many_pending`. */
    async ask(asked: Asked, scope: AskScope): Promise<Question> {
      const question = toQuestion(asked, scope);
      await log.commit(question.sessionId, (tx, append) => put(tx, append, question, scope.config));
      return settled(question, scope.signal);
    },

    /** As `ask`, about a limit: all who meet it while one is asked, before or after a restart, wait for that answer. */
    async askOnce(asked: Asked, limit: AskedLimit, scope: AskScope & { run: RunRow }): Promise<Question> {
      const { session, turnId, config, signal } = scope;
      const question = await log.commit(session.id, async (tx, append) => {
        await ensureRun(tx, scope.run);
        const known = await shared.find(tx, turnId, limit);
        if (!known) return put(tx, append, { ...toQuestion(asked, scope), limit }, config);
        if (known.state !== 'pending') return known;
        await setStatus(tx, append, session.id, 'waiting');
        return share(tx, known, turnId);
      });
      shared.note(turnId, question);
      if (question.state !== 'pending') return question;
      return settled(question, signal, { sessionId: session.id, turnId });
    },

    async recover(): Promise<void> {
      await shared.recover();
      await recover();
    },

    /** What a call has asked, oldest first, once all of it has ended. */
    async settledOf(turnId: string, toolCallId: string, signal: AbortSignal): Promise<Question[]> {
      const asked = await askedBy(store, turnId, toolCallId);
      return Promise.all(asked.map((question) => settled(question, signal)));
    },

    async answer(id: string, answer: Answer, decidedBy: Actor): Promise<Question> {
      if (decidedBy.kind !== 'person') throw new ToolyardError('person_only', 'Only a person can answer.');
      return endNow(id, (question) => {
        requireMatchingOption(question, answer);
        return { state: 'answered', answer, decidedBy };
      });
    },

    list: (filter: AskedFilter<QuestionState>): Promise<Question[]> => store.reads.questions(filter),

    /** Inside the commit that ends a turn. `announce` them once it is durable. */
    async cancelOf(tx: StoreWrites, append: Append, turnId: string): Promise<Question[]> {
      shared.forget(turnId);
      const cancelled: Question[] = [];
      for (const question of await tx.questions({ state: 'pending', turnId, limit: 10_000 }))
        cancelled.push(await end(tx, append, question, { state: 'cancelled' }));
      return cancelled;
    },
  };
}

/** Oldest first. */
export async function askedBy({ reads }: Store, turnId: string, toolCallId: string): Promise<Question[]> {
  const ofTurn = await reads.questions({ turnId, limit: 10_000 });
  return ofTurn.filter((question) => question.toolCallId === toolCallId).reverse();
}

/** A plan that was approved: the answer and the session's new mode are one. */
async function exitPlanMode(
  tx: StoreWrites,
  append: Append,
  { sessionId, options = [], answer, decidedBy = system }: Question,
  clock: Clock,
): Promise<void> {
  const mode = options.find(({ label }) => label === answer)?.leavesPlanFor;
  const session = await tx.session(sessionId);
  if (!mode || session?.mode !== 'plan') return;
  await tx.updateSession(sessionId, { mode });
  const changed = { change: 'mode_changed', sessionId, subject: mode } as const;
  await tx.appendAudit(toChangeEntry(clock, decidedBy, { ...changed, ...ofAgent(session) }));
  await append({ type: 'session_status', data: { status: session.status, mode } });
}

async function requireRoom(tx: StoreWrites, sessionId: string, { toolApproval }: Config): Promise<void> {
  const { maxQuestions } = toolApproval;
  const { questions } = await tx.countPending(sessionId);
  if (questions < maxQuestions) return;
  throw new ToolyardError('too_many_pending', `This session already has ${maxQuestions} pending questions.`);
}

/** An answer to a choice names its options, unless it may be given in other words. */
function requireMatchingOption({ options, multiple, ownWords }: Question, answer: Answer): void {
  if (!options || (ownWords && typeof answer === 'string')) return;
  const chosen = Array.isArray(answer) ? answer : [answer];
  const labels = options.map(({ label }) => label);
  if (chosen.every((label) => labels.includes(label)) && (multiple || chosen.length === 1)) return;
  throw new ToolyardError(
    'invalid_request',
    `answer: choose ${multiple ? 'from' : 'one of'} ${labels.join(', ')}.`,
  );
}
