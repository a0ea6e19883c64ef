// Rows of evidence. A wide screen has columns; on a phone each row is a small block.
import { Link } from '@tanstack/react-router';
import { type AuditRow, toVisibleLine } from '@toolyard/sdk';
import { ToolTitle } from '../../decision-cards/tool-title.tsx';
import { Badge } from '../../parts/badge.tsx';
import { toExactTime } from '../../parts/format-time.ts';
import { useActorNames } from '../../queries/actor-names.ts';
import { formatActor, formatChange, toOutcome, toShortTime } from './format-audit.ts';

export interface AuditTableProps {
  rows: readonly AuditRow[];
  onOpen(row: AuditRow): void;
}

const columns = [
  ['Row', 'w-14'],
  ['Time', 'w-34'],
  ['Kind', 'w-20'],
  ['What', ''],
  ['Outcome and rule', ''],
  ['Who', 'w-32'],
  ['Session', 'w-20'],
  ['Hash', 'w-22'],
] as const;

export function AuditTable({ rows, onOpen }: AuditTableProps) {
  const nameOf = useActorNames();
  return (
    <div className="overflow-hidden rounded-xl border bg-raised">
      <table className="w-full table-fixed text-left text-13 max-lg:block">
        <caption className="sr-only">Evidence, newest first</caption>
        <thead className="bg-sunken text-soft max-lg:sr-only">
          <tr>
            {columns.map(([column, width]) => (
              <th
                key={column}
                scope="col"
                className={`border-b px-3 py-2 font-medium whitespace-nowrap ${width}`}
              >
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-lg:block">
          {rows.map((row) => (
            <Row key={row.seq} row={row} nameOf={nameOf} onOpen={onOpen} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const cell = 'px-3 py-2 align-top lg:border-b max-lg:p-0';

interface RowProps {
  row: AuditRow;
  nameOf(id: string): string;
  onOpen(row: AuditRow): void;
}

function Row({ row, nameOf, onOpen }: RowProps) {
  const outcome = toOutcome(row);
  return (
    <tr className="relative hover:bg-hover max-lg:flex max-lg:min-h-11 max-lg:flex-wrap max-lg:items-center max-lg:gap-x-2 max-lg:gap-y-0.5 max-lg:border-b max-lg:px-3 max-lg:py-2.5">
      <td className={cell}>
        <button
          type="button"
          onClick={() => onOpen(row)}
          aria-label={`Row ${row.seq}, all of it`}
          // On a narrow screen all of the row opens it.
          className="cursor-pointer font-mono text-xs text-soft tabular-nums underline decoration-faint/50 underline-offset-2 hover:text-ink max-lg:after:absolute max-lg:after:inset-0"
        >
          {row.seq}
        </button>
      </td>
      <td className={`${cell} whitespace-nowrap text-soft tabular-nums`}>
        <time dateTime={row.at} title={toExactTime(row.at)}>
          {toShortTime(row.at)}
        </time>
      </td>
      <td className={`${cell} text-soft`}>{row.kind}</td>
      <td className={`${cell} max-lg:basis-full`} colSpan={row.kind === 'change' ? 2 : 1}>
        {row.tool ? (
          <ToolTitle tool={row.tool} />
        ) : (
          <span className="wrap-anywhere">{formatChange(row)}</span>
        )}
      </td>
      {row.kind !== 'change' && (
        <td className={cell}>
          {outcome && <Badge tone={outcome.tone}>{outcome.word}</Badge>}
          {row.rule && <span className="ml-1.5 text-faint wrap-anywhere">{toVisibleLine(row.rule)}</span>}
        </td>
      )}
      <td className={`${cell} text-soft`}>
        <span title={toVisibleLine(row.actor.id)}>{formatActor(row, nameOf)}</span>{' '}
        <span className="text-faint">via {toVisibleLine(row.actor.via)}</span>
      </td>
      <td className={cell}>
        {row.sessionId && (
          <Link
            to="/sessions/$sessionId"
            params={{ sessionId: row.sessionId }}
            title={row.sessionId}
            className="font-mono text-xs text-soft underline decoration-faint/50 underline-offset-2 hover:text-ink max-lg:relative max-lg:z-1 max-lg:inline-flex max-lg:min-h-10 max-lg:items-center max-lg:px-2"
          >
            …{row.sessionId.slice(-6)}
          </Link>
        )}
      </td>
      <td className={`${cell} font-mono text-xs text-faint`} title={row.hash}>
        {row.hash.slice(0, 8)}
      </td>
    </tr>
  );
}
