// What the agent of a session is given, as a person reads it.
import type { SessionContext } from '@toolyard/sdk';
import { type Pen, toLine } from '../terminal/terminal.ts';

type Window = NonNullable<SessionContext['window']>;

export function writeContext(pen: Pen, context: SessionContext): void {
  const { engine, tools, nativeTools, window, instructions } = context;
  pen.line();
  writeNames(pen, 'tools', tools);
  if (nativeTools.length > 0) writeNames(pen, `of ${toLine(engine)}`, nativeTools);
  writeWindow(pen, engine, window);
  pen.line(`\n${pen.paint('dim', 'instructions')}\n${pen.safe(instructions).trim() || '–'}`);
}

function writeNames(pen: Pen, title: string, names: readonly string[]): void {
  const [first = 'none', ...rest] = names.map(toLine);
  pen.line(`${pen.paint('dim', title.padEnd(10))}${first}`);
  for (const name of rest) pen.line(`${' '.repeat(10)}${name}`);
}

function writeWindow(pen: Pen, engine: string, window: Window | undefined): void {
  const title = pen.paint('dim', 'window'.padEnd(10));
  if (!window) {
    const why =
      engine === 'claude' ? 'not known: its process is not running' : 'not known yet, or not of this model';
    pen.line(`${title}${why}`);
    return;
  }
  const { usedTokens, windowTokens, parts } = window;
  const share = windowTokens > 0 ? ` (${Math.round((usedTokens / windowTokens) * 100)} %)` : '';
  pen.line(`${title}${toCount(usedTokens)} of ${toCount(windowTokens)} tokens${share}`);
  const width = Math.max(0, ...parts.map(({ name }) => toLine(name).length));
  for (const { name, tokens } of parts) {
    const label = toLine(name).padEnd(width);
    pen.line(`${' '.repeat(10)}${pen.paint('dim', label)} ${toCount(tokens).padStart(9)}`);
  }
}

function toCount(tokens: number): string {
  return tokens.toLocaleString('en-US');
}
