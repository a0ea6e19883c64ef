// Asks the person at this terminal about one call. Only a key that is offered answers; Enter never does.
import type { AnswerApproval } from '@toolyard/sdk';
import type { Keyboard } from '../terminal/keyboard.ts';
import type { Pen } from '../terminal/terminal.ts';
import { type AskedCall, type Choice, sayChoices, toCard, toChoices } from './approval-card.ts';

export interface Asking {
  keyboard: Keyboard;
  /** How the question looks. */
  pen: Pen;
  /** Writes whole lines. */
  say(text: string): void;
}

/** The person's answer; `undefined` when the signal aborts or the terminal goes. */
export async function askPerson(
  { keyboard, pen, say }: Asking,
  asked: AskedCall,
  signal: AbortSignal,
): Promise<AnswerApproval | undefined> {
  if (signal.aborted) return undefined;
  const choices = toChoices(asked);
  say(toCard(pen, asked, { now: Date.now() }));
  while (!signal.aborted) {
    const key = await readChoice({ keyboard, pen, say }, choices, signal);
    if (key === undefined) return undefined;
    if (key !== 'd') return { decision: 'allow', scope: choices.find((each) => each.key === key)?.scope };
    const reason = await keyboard.line('  Why? (Enter for no reason, Ctrl-D to go back) ', signal);
    if (reason !== undefined) return { decision: 'deny', ...(reason.trim() && { reason: reason.trim() }) };
  }
  return undefined;
}

function readChoice({ keyboard, pen, say }: Asking, choices: readonly Choice[], signal: AbortSignal) {
  const keys = choices.map(({ key }) => key).join('');
  let hinted = false;
  return keyboard.press({
    keys,
    signal,
    onReady: () => say(sayChoices(pen, choices)),
    onOther() {
      if (!hinted) say(pen.paint('dim', `  Press one of ${[...keys].join(', ')}. Enter answers nothing.`));
      hinted = true;
    },
  });
}
