// Asks the person at this terminal the questions of agents, or prints the command that answers them.
import { type Answer, type EventData, type Question, ToolyardError, toFailure } from '@toolyard/sdk';
import type { Keyboard } from '../terminal/keyboard.ts';
import { formatFailure, type PromptOptions } from './approval-prompt.ts';
import { askQuestion } from './ask-question.ts';
import { formatHowToAnswerQuestion, formatQuestionEnding } from './question-card.ts';

export interface QuestionPrompt {
  ask(question: Question): void;
  end(ending: EventData<'question_resolved'>): void;
}

export function createQuestionPrompt({ link, writer, queue, writeLine }: PromptOptions): QuestionPrompt {
  const open = new Set<string>();

  async function promptPerson(person: Keyboard, question: Question, ended: AbortSignal): Promise<void> {
    const session = await link
      .ask((client) => client.sessions.get(question.sessionId))
      .catch(() => undefined);
    const answer = await askQuestion({ keyboard: person, writer, writeLine }, { question, session }, ended);
    if (answer === undefined) forget(question.id);
    else await send(question, answer).catch((thrown) => writeLine(formatFailure(writer, thrown)));
  }

  async function send({ id }: Question, answer: Answer): Promise<void> {
    try {
      const { state, answer: taken } = await link.ask((client) => client.questions.answer(id, answer));
      end({ questionId: id, state, ...(taken !== undefined && { answer: taken }) });
    } catch (thrown) {
      if (!(thrown instanceof ToolyardError && thrown.code === 'already_answered')) throw thrown;
      forget(id);
      writeLine(toFailure(thrown).message);
    }
  }

  function forget(id: string): void {
    open.delete(id);
    queue.remove(id);
  }

  function end(ending: EventData<'question_resolved'>): void {
    if (!open.has(ending.questionId)) return;
    forget(ending.questionId);
    writeLine(formatQuestionEnding(writer, ending));
  }

  return {
    ask(question) {
      if (open.has(question.id)) return;
      open.add(question.id);
      const isAsked = queue.add(question.id, (person, ended) => promptPerson(person, question, ended));
      if (!isAsked) writeLine(formatHowToAnswerQuestion(question));
    },
    end,
  };
}
