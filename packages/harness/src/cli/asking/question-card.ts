// A question of an agent as a person reads it: its words quoted, its choices numbered, and the ways to answer. Pure.
import { type Answer, type Question, type Session, toExcerpt, toVisibleLine } from '@toolyard/sdk';
import { sayAgent } from '../terminal/agent-line.ts';
import { toDuration } from '../terminal/lines.ts';
import { program } from '../terminal/program.ts';
import { toQuote } from '../terminal/quote.ts';
import { cut, type Pen } from '../terminal/terminal.ts';

/** A question, and the session it was asked in where that is known. */
export interface AskedQuestion {
  question: Question;
  session?: Session | undefined;
}

const mostCharacters = 4_000;
/** Of a plan: a person should be able to read all of it. */
const mostOfBody = 40_000;

export function toQuestionCard(pen: Pen, { question, session }: AskedQuestion, now: number): string {
  const { id, text, body, sessionId, expiresAt, state } = question;
  const asker = sayAgent(question.lineage, session?.role) ?? (session && toVisibleLine(session.role));
  const who = asker ? `${asker} in ${sessionId}` : sessionId;
  const leftMs = expiresAt === null ? undefined : Date.parse(expiresAt) - now;
  const facts: [string, string][] = [
    ['asks', who],
    ...(state === 'pending' && leftMs !== undefined
      ? [['waits', toDuration(leftMs)] as [string, string]]
      : []),
    ['question', id],
  ];
  return [
    `${pen.paint('yellow', '?')} ${pen.paint('bold', 'The agent asks you:')}`,
    ...toQuote(pen, toExcerpt(text, mostCharacters)).rows,
    ...(body ? toQuote(pen, toExcerpt(body, mostOfBody), { whole: true }).rows : []),
    ...facts.map(([name, value]) => `  ${pen.paint('dim', name.padEnd(9))} ${value}`),
  ].join('\n');
}

/** `  1  Red: warm` for each choice; nothing where the answer is free. */
export function toChoiceLines(pen: Pen, { options = [] }: Question): string[] {
  return options.map(({ label, description }, index) => {
    const words = toVisibleLine(description === undefined ? label : `${label}: ${description}`);
    const number = String(index + 1);
    return `  ${pen.paint('bold', number)}  ${cut(words, pen.width() - number.length - 4)}`;
  });
}

/** What the words of a person mean as an answer: labels or numbers where there are choices. */
export function toAnswer(question: Question, words: readonly string[]): Answer | undefined {
  const whole = words.join(' ').trim();
  const own = whole || undefined;
  return question.options ? (toChosen(question, words) ?? (question.ownWords ? own : undefined)) : own;
}

function toChosen({ options = [], multiple }: Question, words: readonly string[]): Answer | undefined {
  const whole = words.join(' ').trim();
  const labels = options.map(({ label }) => label);
  const choose = (word: string) => labels.find((label) => label === word) ?? labels[toIndex(word)];
  const single = choose(whole);
  if (!multiple || single !== undefined) return multiple && single !== undefined ? [single] : single;
  const chosen = words.map((word) => choose(word.trim()));
  const known = chosen.filter((label) => label !== undefined);
  return known.length === chosen.length && known.length > 0 ? [...new Set(known)] : undefined;
}

function toIndex(word: string): number {
  return /^\d{1,2}$/.test(word) ? Number(word) - 1 : -1;
}

/** One line with the exact command, for whoever reads this where nobody can be asked. */
export function sayHowToAnswerQuestion(question: Question): string {
  const { id, options } = question;
  const answer = options ? 'NUMBER' : '"ANSWER"';
  const choices = options ? ` (${options.map(({ label }, at) => `${at + 1} ${label}`).join(', ')})` : '';
  const asked = toVisibleLine(toExcerpt(`${question.text}${choices}`, 500).text);
  const who = sayAgent(question.lineage) ?? 'The agent';
  return `${who} asks: ${asked} Answer from another terminal: ${program} questions answer ${id} ${answer}`;
}

/** `✓ answered: Red` */
export function sayQuestionEnding(pen: Pen, { state, answer }: Pick<Question, 'state' | 'answer'>): string {
  const mark = state === 'answered' ? pen.paint('green', '✓') : pen.paint('yellow', '✗');
  const said =
    answer === undefined ? '' : `: ${toVisibleLine(toExcerpt([answer].flat().join(', '), 200).text)}`;
  return `${mark} The question was ${state}${said}`;
}
