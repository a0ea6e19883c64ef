// Where questions of agents wait for the person at this terminal, or are announced with the command that answers them.
import { type Answer, type EventData, type Question, ToolyardError, toFailure } from '@toolyard/sdk';
import type { Keyboard } from '../terminal/keyboard.ts';
import { type DeskOptions, sayFailure } from './desk.ts';
import { askQuestion } from './question-asking.ts';
import { sayHowToAnswerQuestion, sayQuestionEnding } from './question-card.ts';

export interface QuestionDesk {
  ask(question: Question): void;
  end(ending: EventData<'question_resolved'>): void;
}

export function createQuestionDesk({ link, pen, queue, say }: DeskOptions): QuestionDesk {
  const open = new Set<string>();

  async function put(person: Keyboard, question: Question, ended: AbortSignal): Promise<void> {
    const session = await link
      .ask((client) => client.sessions.get(question.sessionId))
      .catch(() => undefined);
    const answer = await askQuestion({ keyboard: person, pen, say }, { question, session }, ended);
    if (answer === undefined) forget(question.id);
    else await send(question, answer).catch((thrown) => say(sayFailure(pen, thrown)));
  }

  async function send({ id }: Question, answer: Answer): Promise<void> {
    try {
      const { state, answer: taken } = await link.ask((client) => client.questions.answer(id, answer));
      end({ questionId: id, state, ...(taken !== undefined && { answer: taken }) });
    } catch (thrown) {
      if (!(thrown instanceof ToolyardError && thrown.code === 'already_answered')) throw thrown;
      forget(id);
      say(toFailure(thrown).message);
    }
  }

  function forget(id: string): void {
    open.delete(id);
    queue.remove(id);
  }

  function end(ending: EventData<'question_resolved'>): void {
    if (!open.has(ending.questionId)) return;
    forget(ending.questionId);
    say(sayQuestionEnding(pen, ending));
  }

  return {
    ask(question) {
      if (open.has(question.id)) return;
      open.add(question.id);
      const isAsked = queue.add(question.id, (person, ended) => put(person, question, ended));
      if (!isAsked) say(sayHowToAnswerQuestion(question));
    },
    end,
  };
}
