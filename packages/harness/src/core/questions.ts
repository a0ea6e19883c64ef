// Questions: what an agent asks its person. Durable, answered once, cancelled with their turn. They survive a restart, and
// their clock stands still while the server is down.
import {
  type Actor,
  type Answer,
  type Asked,
  type AskedFilter,
  type Config,
  type EventDraft,
  type Question,
  type QuestionState,
  type Session,
  type Store,
  type StoreWrites,
  ToolyardError,
} from '@toolyard/sdk';
import { appendAtRoot } from './agents/agent-rows.ts';
import { toChangeEntry } from './audit-changes.ts';
import { goOn, setStatus, system } from './decisions.ts';
import type { NewId } from './ids.ts';
import { toLineage } from './judge.ts';
import type { Append, Log } from './log.ts';
import { createPending, type PendingDeps } from './pending.ts';
import type { Clock, Logger } from './ports.ts';

export interface QuestionDeps {
  store: Store;
  log: Log;
  clock: Clock;
  logger: Logger;
  newId: NewId;
  aside: PendingDeps['aside'];
}

interface QuestionEnd {
  state: QuestionState;
  answer?: Answer;
  decidedBy?: Actor;
}

export type Questions = ReturnType<typeof createQuestions>;

export function createQuestions({ store, log, clock, logger, newId, aside }: QuestionDeps) {
  const pending = createPending<Question>(
    { store, log, clock, logger, aside },
    {
      name: 'question',
      read: (from, id) => from.question(id),
      list: (from, filter) => from.questions(filter),
      put: (tx, question) => tx.putQuestion(question),
      expire: ({ id }) => endNow(id, () => ({ state: 'expired' })),
      say: () => 'This question',
    },
  );
  const { get, requirePending, announce, settled, terms, isWaiting, recover, close } = pending;
  const now = () => new Date(clock.now()).toISOString();

  async function end(
    tx: StoreWrites,
    append: Append,
    question: Question,
    rest: QuestionEnd,
  ): Promise<Question> {
    const ended = { ...question, ...rest, decidedAt: now() };
    await tx.putQuestion(ended);
    const { id: questionId, state, answer } = ended;
    const told: EventDraft = {
      type: 'question_resolved',
      data: { questionId, state, ...(answer && { answer }) },
    };
    await append(told);
    await appendAtRoot(tx, question, now(), told);
    await leavePlan(tx, append, ended, clock);
    await goOn(tx, append, question.sessionId);
    return ended;
  }

  /** Moves a pending question to its end, in one commit. Refuses one that has ended. */
  async function endNow(id: string, toEnd: (question: Question) => QuestionEnd): Promise<Question> {
    const { sessionId } = await get(id);
    const ended = await log.commit(sessionId, async (tx, append) => {
      const question = await requirePending(tx, id);
      return end(tx, append, question, toEnd(question));
    });
    announce(ended);
    return ended;
  }

  /** Asks, and resolves with how it ended. Throws `too_many_pending`. */
  async function ask(
    asked: Asked,
    scope: { session: Session; config: Config; turnId: string; signal: AbortSignal },
  ): Promise<Question> {
    const { session, config, turnId, signal } = scope;
    const question: Question = {
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
    await log.commit(session.id, async (tx, append) => {
      await requireRoom(tx, session.id, config);
      await tx.putQuestion(question);
      const told: EventDraft = { type: 'question_required', data: { question } };
      await append(told);
      await appendAtRoot(tx, question, now(), told);
      await setStatus(tx, append, session.id, 'waiting');
    });
    return settled(question, signal);
  }

  return {
    ...{ get, announce, isWaiting, recover, close },

    ask,

    /** As `ask`; what a turn asked before a restart is not asked again, but waited for. */
    async askOnce(asked: Asked, scope: Parameters<typeof ask>[1]): Promise<Question> {
      const pendingNow = await store.reads.questions({ turnId: scope.turnId, state: 'pending', limit: 100 });
      const same = JSON.stringify(asked.options);
      const known = pendingNow.find(({ options }) => JSON.stringify(options) === same);
      // One that somebody waits for already is theirs.
      return known && !isWaiting(scope.turnId) ? settled(known, scope.signal) : ask(asked, scope);
    },

    /** What a call has asked, oldest first, once all of it has ended. */
    async settledOf(turnId: string, toolCallId: string, signal: AbortSignal): Promise<Question[]> {
      const asked = await askedBy(store, turnId, toolCallId);
      return Promise.all(asked.map((question) => settled(question, signal)));
    },

    async answer(id: string, answer: Answer, decidedBy: Actor): Promise<Question> {
      if (decidedBy.kind !== 'person') throw new ToolyardError('person_only', 'Only a person may answer.');
      return endNow(id, (question) => {
        requireFitting(question, answer);
        return { state: 'answered', answer, decidedBy };
      });
    },

    list: (filter: AskedFilter<QuestionState>): Promise<Question[]> => store.reads.questions(filter),

    /** Inside the commit that ends a turn. `announce` them once it is durable. */
    async cancelOf(tx: StoreWrites, append: Append, turnId: string): Promise<Question[]> {
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
async function leavePlan(
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
  await tx.appendAudit(toChangeEntry(clock, decidedBy, changed));
  await append({ type: 'session_status', data: { status: session.status, mode } });
}

async function requireRoom(tx: StoreWrites, sessionId: string, { toolApproval }: Config): Promise<void> {
  const { maxQuestions } = toolApproval;
  const { questions } = await tx.countPending(sessionId);
  if (questions < maxQuestions) return;
  throw new ToolyardError('too_many_pending', `${maxQuestions} questions already wait in this session.`);
}

/** An answer to a choice names its options, unless it may be given in other words. */
function requireFitting({ options, multiple, ownWords }: Question, answer: Answer): void {
  if (!options || (ownWords && typeof answer === 'string')) return;
  const chosen = Array.isArray(answer) ? answer : [answer];
  const labels = options.map(({ label }) => label);
  if (chosen.every((label) => labels.includes(label)) && (multiple || chosen.length === 1)) return;
  throw new ToolyardError(
    'invalid_request',
    `answer: choose ${multiple ? 'from' : 'one of'} ${labels.join(', ')}.`,
  );
}
