// Asks the person at this terminal what an agent wants to know. A number that is offered answers a choice; words are
// written on a line that the person opens with a key, so that nothing typed before it can answer.
import type { Answer, Question } from '@toolyard/sdk';
import type { Asking } from './asking.ts';
import { type AskedQuestion, toAnswer, toChoiceLines, toQuestionCard } from './question-card.ts';

const mostKeys = 9;

/** The person's answer; `undefined` when the signal aborts or the terminal goes. */
export async function askQuestion(
  asking: Asking,
  asked: AskedQuestion,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  if (signal.aborted) return undefined;
  const { question } = asked;
  asking.say(toQuestionCard(asking.pen, asked, Date.now()));
  const { length } = question.options ?? [];
  return length > 0 && length <= mostKeys && !question.multiple
    ? readNumber(asking, question, signal)
    : readWords(asking, question, signal);
}

async function readNumber(asking: Asking, question: Question, signal: AbortSignal) {
  const lines = toChoiceLines(asking.pen, question);
  const numbers = lines.map((_, index) => String(index + 1)).join('');
  const own = question.ownWords ? [`  ${asking.pen.paint('bold', 'a')}  answer in your own words`] : [];
  const offered = { keys: own.length > 0 ? `${numbers}a` : numbers, offer: [...lines, ...own].join('\n') };
  while (!signal.aborted) {
    const key = await press(asking, offered, signal);
    if (key === undefined) return undefined;
    const words = key === 'a' ? (await readLine(asking, signal))?.trim() : key;
    if (words) return toAnswer(question, [words]);
  }
  return undefined;
}

/** Commas are between choices; in words of one's own they stay. */
function toTyped(question: Question, line: string): Answer | undefined {
  const chosen = toAnswer({ ...question, ownWords: false }, question.options ? line.split(',') : [line]);
  return chosen ?? toAnswer(question, [line]);
}

function readLine({ keyboard }: Asking, signal: AbortSignal): Promise<string | undefined> {
  return keyboard.line('  Answer (Ctrl-D to go back): ', signal);
}

async function readWords(asking: Asking, question: Question, signal: AbortSignal) {
  const { pen, say } = asking;
  const lines = toChoiceLines(pen, question);
  const what = lines.length > 0 ? 'choose by number, several with commas' : 'write an answer';
  const offer = [...lines, `  ${pen.paint('bold', 'a')}  ${what}`].join('\n');
  while (!signal.aborted) {
    if ((await press(asking, { keys: 'a', offer }, signal)) === undefined) return undefined;
    const line = (await readLine(asking, signal)) ?? '';
    const answer = toTyped(question, line);
    if (answer !== undefined) return answer;
    if (line.trim()) say(pen.paint('dim', '  That is none of the choices.'));
  }
  return undefined;
}

function press(
  { keyboard, pen, say }: Asking,
  { keys, offer }: { keys: string; offer: string },
  signal: AbortSignal,
) {
  let hinted = false;
  return keyboard.press({
    keys,
    signal,
    onReady: () => say(offer),
    onOther() {
      if (!hinted) say(pen.paint('dim', `  Press one of ${[...keys].join(', ')}. Enter answers nothing.`));
      hinted = true;
    },
  });
}
