// A table of Markdown. It scrolls by itself when it is wider than the page.
import type { Tokens } from 'marked';
import { toDirection } from './direction.ts';
import { Inline } from './inline.tsx';

const aligned = { start: 'text-start', left: 'text-left', right: 'text-right', center: 'text-center' };

export function MarkdownTable({ token: { header, rows, raw } }: { token: Tokens.Table }) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label="Table"
      className="overflow-x-auto rounded-lg border"
    >
      <table dir={toDirection(raw)} className="w-full border-collapse text-sm">
        <thead className="bg-sunken">
          <tr>{header.map((cell, index) => toCell(cell, index))}</tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other name than its place
            <tr key={index} className="border-t">
              {row.map((cell, column) => toCell(cell, column))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function toCell({ tokens, header, align }: Tokens.TableCell, index: number) {
  const look = `px-3 py-1.5 align-top ${aligned[align ?? 'start']}`;
  if (!header) {
    return (
      <td key={index} dir="auto" className={look}>
        <Inline tokens={tokens} />
      </td>
    );
  }
  return (
    <th key={index} dir="auto" scope="col" className={`${look} font-medium`}>
      <Inline tokens={tokens} />
    </th>
  );
}
