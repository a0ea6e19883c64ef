// A stored session as a person reads it.
import { type SessionView, type TranscriptItem, toShown } from '@toolyard/sdk';
import { callLine, failureLine, outcomeText, resultLine } from '../terminal/lines.ts';
import type { Pen } from '../terminal/terminal.ts';

/** With `numbers`, each thing that was said or done begins with the number of its event. */
export function writeTranscript(pen: Pen, view: SessionView, { numbers = false } = {}): void {
  let above: TranscriptItem['kind'] | undefined;
  for (const item of [...view.items, ...view.queued]) {
    const lines = toLines(pen, item);
    if (!lines) continue;
    const shown = numbers ? `${pen.paint('dim', `#${item.seq}`)} ${lines}` : lines;
    pen.line(item.kind === above ? shown : `\n${shown}`);
    above = item.kind;
  }
}

function toLines(pen: Pen, item: TranscriptItem): string | undefined {
  switch (item.kind) {
    case 'user':
      return pen.paint('bold', `> ${pen.safe(toShown(item.content)).trimEnd().replaceAll('\n', '\n> ')}`);
    case 'text':
      return pen.safe(item.text).trimEnd();
    case 'thinking':
      return pen.paint('dim', pen.safe(item.text).trimEnd());
    case 'error':
      return failureLine(pen, item.error);
    case 'unknown':
      return pen.paint('dim', pen.safe(`(an event that this version does not know: ${item.type})`));
    case 'end':
      return item.outcome === 'completed' ? undefined : outcomeText(pen, item.outcome);
    case 'tool': {
      const call = callLine(pen, item.tool, item.input ?? item.inputText);
      if (item.state === 'writing' || item.state === 'called') return call;
      return `${call}\n${resultLine(pen, { output: item.output, state: item.state })}`;
    }
  }
}
