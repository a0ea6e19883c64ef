// Asks the person at this terminal about one call. Only a key that is offered answers; Enter never does.
import type { AnswerApproval } from '@toolyard/sdk';
import type { Keyboard } from '../terminal/keyboard.ts';
import type { TextWriter } from '../terminal/terminal.ts';
import { type AskedCall, type Choice, formatChoices, toCard, toChoices } from './approval-card.ts';

export interface PromptTerminal {
  keyboard: Keyboard;
  /** How the question looks. */
  writer: TextWriter;
  /** Writes whole lines. */
  writeLine(text: string): void;
}

/** The person's answer; `undefined` when the signal aborts or the terminal closes. */
export async function askPerson(
  { keyboard, writer, writeLine }: PromptTerminal,
  asked: AskedCall,
  signal: AbortSignal,
): Promise<AnswerApproval | undefined> {
  if (signal.aborted) return undefined;
  const choices = toChoices(asked);
  writeLine(toCard(writer, asked, { now: Date.now() }));
  while (!signal.aborted) {
    const key = await readChoice({ keyboard, writer, writeLine }, choices, signal);
    if (key === undefined) return undefined;
    if (key !== 'd') return { decision: 'allow', scope: choices.find((each) => each.key === key)?.scope };
    const reason = await keyboard.line('  Reason (Enter for none, Ctrl-D to go back): ', signal);
    if (reason !== undefined) return { decision: 'deny', ...(reason.trim() && { reason: reason.trim() }) };
  }
  return undefined;
}

function readChoice(
  { keyboard, writer, writeLine }: PromptTerminal,
  choices: readonly Choice[],
  signal: AbortSignal,
) {
  const keys = choices.map(({ key }) => key).join('');
  let hinted = false;
  return keyboard.press({
    keys,
    signal,
    onReady: () => writeLine(formatChoices(writer, choices)),
    onOther() {
      if (!hinted)
        writeLine(writer.paint('dim', `  Press one of ${[...keys].join(', ')}. Enter does not answer.`));
      hinted = true;
    },
  });
}
