// The chart in numbers: newest first, moments that used nothing left out.
import { toVisibleLine, type UsageSum } from '@toolyard/sdk';
import { formatAmount, toLongMoment } from './format-usage.ts';
import type { Measure, Series } from './usage-span.ts';

export interface UsageTableProps {
  moments: readonly string[];
  measure: Measure;
  series: readonly Series[];
  totals: ReadonlyMap<string, UsageSum>;
}

const head = 'sticky top-0 border-b bg-sunken px-3 py-2 font-medium whitespace-nowrap text-soft';

export function UsageTable({ moments, measure, series, totals }: UsageTableProps) {
  const used = moments.filter((moment) => totals.has(moment)).toReversed();
  if (used.length === 0) return <p className="p-4 text-sm text-soft">Nothing was used in this time.</p>;
  return (
    <section
      aria-label="Usage in numbers"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-80 overflow-auto -outline-offset-2"
    >
      <table className="w-full border-separate border-spacing-0 text-left text-13 tabular-nums">
        <thead>
          <tr>
            <th scope="col" className={head}>
              When
            </th>
            <th scope="col" className={`${head} text-right`}>
              All
            </th>
            {series.map(({ key, name }) => (
              <th
                key={key}
                scope="col"
                className={`${head} max-w-48 truncate text-right`}
                title={toVisibleLine(name)}
              >
                {toVisibleLine(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {used.map((moment) => (
            <Row key={moment} moment={moment} measure={measure} series={series} total={totals.get(moment)} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface RowProps extends Pick<UsageTableProps, 'measure' | 'series'> {
  moment: string;
  total: UsageSum | undefined;
}

function Row({ moment, measure, series, total }: RowProps) {
  return (
    <tr>
      <th scope="row" className="border-b px-3 py-1.5 font-normal whitespace-nowrap">
        {toLongMoment(moment)}
      </th>
      <td className="border-b px-3 py-1.5 text-right font-medium">{total && formatAmount(total, measure)}</td>
      {series.map(({ key, points }) => {
        const point = points.get(moment);
        return (
          <td key={key} className="border-b px-3 py-1.5 text-right text-soft">
            {point ? formatAmount(point, measure) : '–'}
          </td>
        );
      })}
    </tr>
  );
}
