// Writes a stored session for a person to read.
import { type SessionView, type TranscriptItem, toShown } from '@toolyard/sdk';
import { callLine, failureLine, outcomeText, resultLine } from '../terminal/lines.ts';
import type { TextWriter } from '../terminal/terminal.ts';

/** With `numbers`, each item begins with the number of its event. */
export function writeTranscript(writer: TextWriter, view: SessionView, { numbers = false } = {}): void {
  let above: TranscriptItem['kind'] | undefined;
  for (const item of [...view.items, ...view.queued]) {
    const lines = toLines(writer, item);
    if (!lines) continue;
    const shown = numbers ? `${writer.paint('dim', `#${item.seq}`)} ${lines}` : lines;
    writer.line(item.kind === above ? shown : `\n${shown}`);
    above = item.kind;
  }
}

function toLines(writer: TextWriter, item: TranscriptItem): string | undefined {
  switch (item.kind) {
    case 'user':
      return writer.paint(
        'bold',
        `> ${writer.safe(toShown(item.content)).trimEnd().replaceAll('\n', '\n> ')}`,
      );
    case 'text':
      return writer.safe(item.text).trimEnd();
    case 'thinking':
      return writer.paint('dim', writer.safe(item.text).trimEnd());
    case 'error':
      return failureLine(writer, item.error);
    case 'unknown':
      return writer.paint('dim', writer.safe(`(this version does not know the event type ${item.type})`));
    case 'end':
      return item.outcome === 'completed' ? undefined : outcomeText(writer, item.outcome);
    case 'tool': {
      const call = callLine(writer, item.tool, item.input ?? item.inputText);
      if (item.state === 'writing' || item.state === 'called') return call;
      return `${call}\n${resultLine(writer, { output: item.output, state: item.state })}`;
    }
  }
}
