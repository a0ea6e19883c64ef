// Writes a table, one line per row; the last column gets the rest of the line.
import { cut, type TextWriter, toLine, toWidth } from './terminal.ts';

const gap = 2;

/** `indents`: the depth of each row in a tree. */
export function writeTable(
  writer: TextWriter,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  indents: readonly number[] = [],
): void {
  const cells = rows.map((row, index) => indent(row.map(toLine), indents[index] ?? 0));
  const widths = head.map((title, column) =>
    Math.max(toWidth(title), ...cells.map((row) => toWidth(row[column] ?? ''))),
  );
  writer.line(writer.paint('dim', toRow(head, widths, writer.width())));
  for (const row of cells) writer.line(toRow(row, widths, writer.width()));
}

function indent([first = '', ...rest]: readonly string[], depth: number): string[] {
  return ['  '.repeat(depth) + first, ...rest];
}

function toRow(cells: readonly string[], widths: readonly number[], width: number): string {
  const padded = cells.map((cell, column) => {
    const room = (widths[column] ?? 0) - toWidth(cell);
    return column === cells.length - 1 ? cell : cell + ' '.repeat(room + gap);
  });
  return cut(padded.join(''), width);
}
