// Quotes untrusted text: each row begins with a bar, so that the text cannot imitate our own output.
import type { Excerpt } from '@toolyard/sdk';
import type { TextWriter } from './terminal.ts';

const maxRows = 30;

export interface Quote {
  rows: string[];
  cut: boolean;
}

/** Rows for a text whose control characters are escaped; a long text is cut in the middle, with its length below. */
export function toQuote(
  writer: TextWriter,
  excerpt: Excerpt,
  { whole = false }: { whole?: boolean | undefined } = {},
): Quote {
  const width = writer.isTerminal ? Math.max(10, writer.width() - 5) : Number.POSITIVE_INFINITY;
  const rows = excerpt.text.split('\n').flatMap((line) => wrap(line.replaceAll('\t', '⇥ '), width));
  const shown = whole || rows.length <= maxRows ? rows : toEnds(rows);
  const bar = writer.paint('dim', '│');
  const length = `  ${writer.paint('dim', `${excerpt.length} characters in total`)}`;
  return {
    rows: [...shown.map((row) => `  ${bar} ${row}`), ...(shown.length > 1 ? [length] : [])],
    cut: excerpt.cut || shown !== rows,
  };
}

function toEnds(rows: readonly string[]): string[] {
  const half = maxRows / 2;
  const between = `⟨… ${rows.length - maxRows} lines not shown …⟩`;
  return [...rows.slice(0, half), between, ...rows.slice(-half)];
}

/**
 * Breaks a line where the terminal would wrap it, because a wrapped row has no bar. Every character beyond ASCII counts
 * as two columns: a row that is too short does no harm.
 */
function wrap(line: string, width: number): string[] {
  if (line.length * 2 <= width) return [line];
  const rows: string[] = [];
  let row = '';
  let used = 0;
  for (const char of line) {
    const columns = char > '~' ? 2 : 1;
    if (used + columns > width && row !== '') {
      rows.push(row);
      row = '';
      used = 0;
    }
    row += char;
    used += columns;
  }
  return [...rows, row];
}
