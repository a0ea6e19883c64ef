// A table that becomes blocks on a phone, with the name of each column beside its value there.
import { clsx } from 'clsx';
import type { ReactNode } from 'react';

export interface RowsProps {
  label: string;
  /** An empty name is that of the column with what can be done. */
  columns: readonly string[];
  children: ReactNode;
}

export function Rows({ label, columns, children }: RowsProps) {
  return (
    <div className="overflow-hidden rounded-xl border bg-raised">
      <table className="w-full text-left text-13 max-md:block">
        <caption className="sr-only">{label}</caption>
        <thead className="bg-sunken text-soft max-md:sr-only">
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" className="border-b px-3 py-2 font-medium whitespace-nowrap">
                {column || <span className="sr-only">What can be done</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-md:block">{children}</tbody>
      </table>
    </div>
  );
}

function Row({ children }: { children: ReactNode }) {
  return (
    <tr className="max-md:flex max-md:flex-col max-md:gap-1 max-md:border-b max-md:px-3 max-md:py-3 last:max-md:border-b-0 md:not-last:[&>*]:border-b">
      {children}
    </tr>
  );
}

export interface CellProps {
  /** The column's name, for a phone. */
  label?: string | undefined;
  /** It names its row. */
  isHead?: boolean | undefined;
  /** It holds what can be done. */
  isEnd?: boolean | undefined;
  children: ReactNode;
}

function Cell({ label, isHead, isEnd, children }: CellProps) {
  const className = clsx(
    'align-top md:px-3 md:py-2',
    isEnd && 'md:text-right max-md:pt-1',
    isHead && 'font-normal',
  );
  const content = (
    <>
      {label && <span className="mr-2 text-faint md:hidden">{label}</span>}
      {children}
    </>
  );
  return isHead ? (
    <th scope="row" className={className}>
      {content}
    </th>
  ) : (
    <td className={className}>{content}</td>
  );
}

Rows.Row = Row;
Rows.Cell = Cell;
