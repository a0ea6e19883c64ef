// Questions: what an agent asks its person. Durable, answered once, cancelled with their turn.
import {
  type Actor,
  type Answer,
  type Asked,
  type AskedFilter,
  type Config,
  type Question,
  type QuestionState,
  type Session,
  type Store,
  type StoreWrites,
  ToolyardError,
} from '@toolyard/sdk';
import type { NewId } from './ids.ts';
import { toLineage } from './judge.ts';
import type { Append, Log } from './log.ts';
import type { Clock, Logger } from './ports.ts';

export interface QuestionDeps {
  store: Store;
  log: Log;
  clock: Clock;
  logger: Logger;
  newId: NewId;
}

export type Questions = ReturnType<typeof createQuestions>;

export function createQuestions({ store, log, clock, logger, newId }: QuestionDeps) {
  const waiting = new Map<string, (question: Question) => void>();
  const now = () => new Date(clock.now()).toISOString();

  async function end(
    tx: StoreWrites,
    append: Append,
    question: Question,
    rest: { state: QuestionState; answer?: Answer; decidedBy?: Actor },
  ): Promise<Question> {
    const ended = { ...question, ...rest, decidedAt: now() };
    await tx.putQuestion(ended);
    const { id: questionId, state, answer } = ended;
    await append({ type: 'question_resolved', data: { questionId, state, ...(answer && { answer }) } });
    return ended;
  }

  function announce(question: Question): void {
    waiting.get(question.id)?.(question);
    waiting.delete(question.id);
  }

  async function expire(question: Question): Promise<void> {
    try {
      const ended = await log.commit(question.sessionId, async (tx, append) => {
        const current = await tx.question(question.id);
        return current?.state === 'pending' ? end(tx, append, current, { state: 'expired' }) : current;
      });
      if (ended) announce(ended);
    } catch (thrown) {
      logger.warn('a question could not expire', { cause: thrown, questionId: question.id });
    }
  }

  return {
    /** Asks, and resolves with how it ended. An abort leaves it to the turn's end. */
    async ask(
      asked: Asked,
      scope: { session: Session; config: Config; turnId: string; signal: AbortSignal },
    ): Promise<Question> {
      const { session, config, turnId, signal } = scope;
      const timeout = config.toolApproval.approvalTimeout;
      const question: Question = {
        ...asked,
        id: newId('qst'),
        sessionId: session.id,
        rootSessionId: session.rootSessionId,
        turnId,
        state: 'pending',
        lineage: toLineage(session),
        createdAt: now(),
        expiresAt: new Date(clock.now() + timeout).toISOString(),
      };
      const { promise, resolve } = Promise.withResolvers<Question>();
      waiting.set(question.id, resolve);
      await log.commit(session.id, async (tx, append) => {
        await tx.putQuestion(question);
        await append({ type: 'question_required', data: { question } });
      });
      const timer = setTimeout(() => void expire(question), Math.min(timeout, 2 ** 31 - 1));
      const onAbort = () => resolve({ ...question, state: 'cancelled' });
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        waiting.delete(question.id);
        signal.removeEventListener('abort', onAbort);
      }
    },

    async answer(id: string, answer: Answer, decidedBy: Actor): Promise<Question> {
      if (decidedBy.kind !== 'person') throw new ToolyardError('person_only', 'Only a person may answer.');
      const found = (await store.reads.question(id)) ?? refuseUnknown(id);
      const ended = await log.commit(found.sessionId, async (tx, append) => {
        const question = requirePending((await tx.question(id)) ?? refuseUnknown(id));
        requireFitting(question, answer);
        return end(tx, append, question, { state: 'answered', answer, decidedBy });
      });
      announce(ended);
      return ended;
    },

    list: (filter: AskedFilter<QuestionState>): Promise<Question[]> => store.reads.questions(filter),

    /** Inside the commit that ends a turn. */
    async cancelOf(tx: StoreWrites, append: Append, turnId: string): Promise<void> {
      for (const question of await tx.questions({ state: 'pending', turnId, limit: 10_000 })) {
        await end(tx, append, question, { state: 'cancelled' });
      }
    },
  };
}

function requirePending(question: Question): Question {
  if (question.state === 'pending') return question;
  const { state, decidedBy, decidedAt } = question;
  const who = decidedBy ? ` by ${decidedBy.id} via ${decidedBy.via}` : '';
  throw new ToolyardError('already_answered', `This question was already ${state}${who} at ${decidedAt}.`);
}

/** An answer to a choice names its options. */
function requireFitting({ options, multiple }: Question, answer: Answer): void {
  if (!options) return;
  const chosen = Array.isArray(answer) ? answer : [answer];
  const labels = options.map(({ label }) => label);
  if (chosen.every((label) => labels.includes(label)) && (multiple || chosen.length === 1)) return;
  throw new ToolyardError(
    'invalid_request',
    `answer: choose ${multiple ? 'from' : 'one of'} ${labels.join(', ')}.`,
  );
}

function refuseUnknown(id: string): never {
  throw new ToolyardError('question_not_found', `There is no question ${id.slice(0, 60)}.`);
}
