// `questions list` and `questions answer`.
import { type Question, QuestionState, ToolyardError, toVisibleLine } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { toChoice, toNumber } from '../command-line/values.ts';
import { createServerLink } from '../connection/server-link.ts';
import { formatQuestionEnding, toAnswer } from '../decision-prompts/question-card.ts';
import { toAge } from '../terminal/lines.ts';
import { program } from '../terminal/program.ts';
import { writeTable } from '../terminal/table.ts';
import { cut } from '../terminal/terminal.ts';

const maxShown = 500;

export async function listQuestions(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const state = call.options.state && toChoice(call.options.state, '--state', QuestionState.options);
  const limit = toNumber(call.options.limit ?? '50', '--limit', { min: 1, max: maxShown });
  const link = await createServerLink(call);
  const list = await link.ask((client) => client.questions.list({ limit, ...(state && { state }) }));
  if (call.flags.has('json')) out.line(JSON.stringify(list));
  else if (list.items.length === 0) out.line(state ? `No question is ${state}.` : 'No questions yet.');
  else {
    const rows = list.items.map((question) => toRow(question, Date.now()));
    writeTable(out, ['ID', 'STATE', 'ASKED', 'QUESTION', 'CHOICES'], rows);
    if (list.items.some((question) => question.state === 'pending'))
      err.line(err.paint('dim', `Answer: ${program} questions answer ID ANSWER`));
  }
  return 0;
}

function toRow({ id, state, createdAt, text, options = [] }: Question, now: number): string[] {
  const choices = options.map(({ label }, index) => `${index + 1} ${label}`).join(', ');
  return [id, state, toAge(createdAt, now), cut(toVisibleLine(text), 60), cut(toVisibleLine(choices), 60)];
}

export async function answerQuestion(call: Call): Promise<number> {
  const { out } = call.terminal;
  const [id = '', ...words] = call.words;
  const link = await createServerLink(call);
  const question = await link.ask((client) => client.questions.get(id));
  const answer = toAnswer(question, words);
  if (answer === undefined) throw noAnswer(question);
  // Not retried after a lost connection: our own first answer would then look like somebody else's.
  const answered = await link.client.questions.answer(id, answer);
  out.line(call.flags.has('json') ? JSON.stringify(answered) : formatQuestionEnding(out, answered));
  return 0;
}

function noAnswer({ options = [], multiple }: Question): ToolyardError {
  if (options.length === 0) return new ToolyardError('usage', 'The answer is empty. Write one.');
  const choices = options.map(({ label }, index) => `${index + 1} ${label}`).join(', ');
  const how = multiple ? 'Choose one or more' : 'Choose one';
  return new ToolyardError(
    'usage',
    `That is not one of the choices. ${how} by number or name: ${toVisibleLine(choices)}.`,
  );
}
