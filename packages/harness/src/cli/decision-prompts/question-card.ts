// Formats a question from an agent: its text quoted, its choices numbered, and how to answer. Pure.
import { type Answer, type Question, type Session, toExcerpt, toVisibleLine } from '@toolyard/sdk';
import { formatAgent } from '../terminal/agent-line.ts';
import { toDuration } from '../terminal/lines.ts';
import { program } from '../terminal/program.ts';
import { toQuote } from '../terminal/quote.ts';
import { cut, type TextWriter } from '../terminal/terminal.ts';

/** A question and, if known, its session. */
export interface AskedQuestion {
  question: Question;
  session?: Session | undefined;
}

const maxCharacters = 4_000;
/** For a plan, which a person should be able to read in full. */
const maxBodyCharacters = 40_000;

export function toQuestionCard(
  writer: TextWriter,
  { question, session }: AskedQuestion,
  now: number,
): string {
  const { id, text, body, sessionId, expiresAt, state } = question;
  const asker = formatAgent(question.lineage, session?.role) ?? (session && toVisibleLine(session.role));
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
    `${writer.paint('yellow', '?')} ${writer.paint('bold', 'The agent asks you:')}`,
    ...toQuote(writer, toExcerpt(text, maxCharacters)).rows,
    ...(body ? toQuote(writer, toExcerpt(body, maxBodyCharacters), { whole: true }).rows : []),
    ...facts.map(([name, value]) => `  ${writer.paint('dim', name.padEnd(9))} ${value}`),
  ].join('\n');
}

/** `  1  Red: warm` for each choice; empty when the answer is free text. */
export function toChoiceLines(writer: TextWriter, { options = [] }: Question): string[] {
  return options.map(({ label, description }, index) => {
    const words = toVisibleLine(description === undefined ? label : `${label}: ${description}`);
    const number = String(index + 1);
    return `  ${writer.paint('bold', number)}  ${cut(words, writer.width() - number.length - 4)}`;
  });
}

/** Turns the arguments into an answer: labels or numbers if there are choices, else free text. */
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

/** One line with the exact command, for output without a terminal. */
export function formatHowToAnswerQuestion(question: Question): string {
  const { id, options } = question;
  const answer = options ? 'NUMBER' : '"ANSWER"';
  const choices = options ? ` (${options.map(({ label }, at) => `${at + 1} ${label}`).join(', ')})` : '';
  const asked = toVisibleLine(toExcerpt(`${question.text}${choices}`, 500).text);
  const who = formatAgent(question.lineage) ?? 'The agent';
  return `${who} asks: ${asked} Answer from another terminal: ${program} questions answer ${id} ${answer}`;
}

/** `✓ answered: Red` */
export function formatQuestionEnding(
  writer: TextWriter,
  { state, answer }: Pick<Question, 'state' | 'answer'>,
): string {
  const mark = state === 'answered' ? writer.paint('green', '✓') : writer.paint('yellow', '✗');
  const text =
    answer === undefined ? '' : `: ${toVisibleLine(toExcerpt([answer].flat().join(', '), 200).text)}`;
  return `${mark} The question was ${state}${text}`;
}
