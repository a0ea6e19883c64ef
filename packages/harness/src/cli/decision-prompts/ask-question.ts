// Asks the person at this terminal a question from an agent. A number key picks a choice. Free text is typed on a line
// that the person opens with a key, so that earlier typing cannot answer.
import type { Answer, Question } from '@toolyard/sdk';
import type { PromptTerminal } from './ask-approval.ts';
import { type AskedQuestion, toAnswer, toChoiceLines, toQuestionCard } from './question-card.ts';

const maxKeys = 9;

/** The person's answer; `undefined` when the signal aborts or the terminal closes. */
export async function askQuestion(
  terminal: PromptTerminal,
  asked: AskedQuestion,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  if (signal.aborted) return undefined;
  const { question } = asked;
  terminal.writeLine(toQuestionCard(terminal.writer, asked, Date.now()));
  const { length } = question.options ?? [];
  return length > 0 && length <= maxKeys && !question.multiple
    ? readNumber(terminal, question, signal)
    : readText(terminal, question, signal);
}

async function readNumber(terminal: PromptTerminal, question: Question, signal: AbortSignal) {
  const lines = toChoiceLines(terminal.writer, question);
  const numbers = lines.map((_, index) => String(index + 1)).join('');
  const own = question.ownWords ? [`  ${terminal.writer.paint('bold', 'a')}  answer in your own words`] : [];
  const offered = { keys: own.length > 0 ? `${numbers}a` : numbers, offer: [...lines, ...own].join('\n') };
  while (!signal.aborted) {
    const key = await press(terminal, offered, signal);
    if (key === undefined) return undefined;
    const words = key === 'a' ? (await readLine(terminal, signal))?.trim() : key;
    if (words) return toAnswer(question, [words]);
  }
  return undefined;
}

/** Commas separate choices; in free text they are kept. */
function toTypedAnswer(question: Question, line: string): Answer | undefined {
  const chosen = toAnswer({ ...question, ownWords: false }, question.options ? line.split(',') : [line]);
  return chosen ?? toAnswer(question, [line]);
}

function readLine({ keyboard }: PromptTerminal, signal: AbortSignal): Promise<string | undefined> {
  return keyboard.line('  Answer (Ctrl-D to go back): ', signal);
}

async function readText(terminal: PromptTerminal, question: Question, signal: AbortSignal) {
  const { writer, writeLine } = terminal;
  const lines = toChoiceLines(writer, question);
  const what = lines.length > 0 ? 'choose by number; separate several with commas' : 'write an answer';
  const offer = [...lines, `  ${writer.paint('bold', 'a')}  ${what}`].join('\n');
  while (!signal.aborted) {
    if ((await press(terminal, { keys: 'a', offer }, signal)) === undefined) return undefined;
    const line = (await readLine(terminal, signal)) ?? '';
    const answer = toTypedAnswer(question, line);
    if (answer !== undefined) return answer;
    if (line.trim()) writeLine(writer.paint('dim', '  That is not one of the choices.'));
  }
  return undefined;
}

function press(
  { keyboard, writer, writeLine }: PromptTerminal,
  { keys, offer }: { keys: string; offer: string },
  signal: AbortSignal,
) {
  let hinted = false;
  return keyboard.press({
    keys,
    signal,
    onReady: () => writeLine(offer),
    onOther() {
      if (!hinted)
        writeLine(writer.paint('dim', `  Press one of ${[...keys].join(', ')}. Enter does not answer.`));
      hinted = true;
    },
  });
}
