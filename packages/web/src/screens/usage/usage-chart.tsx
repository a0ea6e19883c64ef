// Usage over time: bars with what the active one holds beside them, or the same as a table.
import { toVisibleLine, type UsageSum } from '@toolyard/sdk';
import { ChartColumn, Table2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Segments } from '../../controls/segments.tsx';
import { toMoney } from '../../parts/amounts.tsx';
import { Card } from '../../parts/card.tsx';
import { toColour } from './chart-colours.ts';
import { formatAmount, toAxisLabel, toCeiling, toCount, toLongMoment } from './format-usage.ts';
import { type Bar, StackedBars } from './stacked-bars.tsx';
import { type Measure, type Series, type Span, toAmount } from './usage-span.ts';
import { UsageTable } from './usage-table.tsx';

export interface UsageChartProps {
  title: string;
  span: Span;
  measure: Measure;
  series: readonly Series[];
  /** Of each moment, all groups together, those without a name included. */
  totals: ReadonlyMap<string, UsageSum>;
}

export function UsageChart({ title, span, measure, series, totals }: UsageChartProps) {
  const [way, setWay] = useState<'chart' | 'table'>('chart');
  return (
    <Card
      title={title}
      actions={
        <Segments<'chart' | 'table'>
          label="Show as"
          value={way}
          onChange={(next) => setWay(next)}
          options={[
            { value: 'chart', label: <Way icon={<ChartColumn />} name="Chart" /> },
            { value: 'table', label: <Way icon={<Table2 />} name="Table" /> },
          ]}
        />
      }
      flush={way === 'table'}
    >
      {way === 'table' ? (
        <UsageTable moments={span.moments} measure={measure} series={series} totals={totals} />
      ) : (
        <Chart title={title} span={span} measure={measure} series={series} totals={totals} />
      )}
    </Card>
  );
}

function Way({ icon, name }: { icon: ReactNode; name: string }) {
  return (
    <span className="flex items-center gap-1.5 [&>svg]:size-3.5">
      {icon}
      {name}
    </span>
  );
}

function Chart({ title, span, measure, series, totals }: UsageChartProps) {
  const [active, setActive] = useState<number>();
  const bars = span.moments.map((moment): Bar => toBar(moment, measure, series, totals));
  const largest = Math.max(0, ...bars.map(({ parts }) => parts.reduce((sum, { amount }) => sum + amount, 0)));
  const formatAmount = (amount: number) =>
    measure === 'cost' ? formatScale(amount) : toCount(Math.round(amount));
  const moment = active === undefined ? undefined : span.moments[active];
  return (
    <div className="flex flex-col gap-3">
      <StackedBars
        label={title}
        bars={bars}
        ceiling={toCeiling(largest)}
        formatAmount={formatAmount}
        active={active}
        onActive={setActive}
      />
      <Legend
        series={series}
        measure={measure}
        moment={moment}
        totals={totals}
        hasRest={bars.some(({ parts }) => parts.some(({ key }) => key === restKey))}
      />
    </div>
  );
}

function formatScale(amount: number): string {
  return amount === 0 ? '$0' : toMoney(amount);
}

const restKey = '·rest';

function toBar(
  moment: string,
  measure: Measure,
  series: readonly Series[],
  totals: ReadonlyMap<string, UsageSum>,
): Bar {
  const total = totals.get(moment);
  const parts = series.flatMap(({ key, points }, place) => {
    const point = points.get(moment);
    return point ? [{ key, amount: toAmount(point, measure), colour: toColour(place) }] : [];
  });
  const named = parts.reduce((sum, { amount }) => sum + amount, 0);
  const left = total ? toAmount(total, measure) - named : 0;
  const rest =
    left > 1e-9 ? [{ key: restKey, amount: left, colour: toColour(Number.POSITIVE_INFINITY) }] : [];
  const words = series.flatMap(({ name, points }) => {
    const point = points.get(moment);
    return point ? [`${toVisibleLine(name)} ${formatAmount(point, measure)}`] : [];
  });
  const label = `${toLongMoment(moment)}: ${total ? [formatAmount(total, measure), ...words].join(', ') : 'nothing used'}`;
  return { key: moment, label, axisLabel: toAxisLabel(moment), parts: [...parts, ...rest] };
}

interface LegendProps {
  series: readonly Series[];
  measure: Measure;
  moment: string | undefined;
  totals: ReadonlyMap<string, UsageSum>;
  hasRest: boolean;
}

/** Also the tooltip: it shows the active bar's amounts, in a place that never covers another bar. */
function Legend({ series, measure, moment, totals, hasRest }: LegendProps) {
  const total = moment === undefined ? undefined : totals.get(moment);
  return (
    <div className="min-h-11 text-13">
      <p className="font-medium tabular-nums">
        {moment === undefined ? (
          <span className="font-normal text-faint">Point at a bar, or move to it with the arrow keys.</span>
        ) : (
          `${toLongMoment(moment)} · ${total ? formatAmount(total, measure) : 'nothing used'}`
        )}
      </p>
      <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5">
        {series.map(({ key, name, points }, place) => {
          const point = moment === undefined ? undefined : points.get(moment);
          return (
            <li key={key} className="flex min-w-0 items-center gap-1.5 text-soft">
              <Swatch colour={toColour(place)} />
              <span className="max-w-52 truncate">{toVisibleLine(name)}</span>
              {point && <span className="text-ink tabular-nums">{formatAmount(point, measure)}</span>}
            </li>
          );
        })}
        {hasRest && (
          <li className="flex items-center gap-1.5 text-soft">
            <Swatch colour={toColour(Number.POSITIVE_INFINITY)} /> others
          </li>
        )}
      </ul>
    </div>
  );
}

export function Swatch({ colour }: { colour: string }) {
  return (
    <span aria-hidden="true" className="size-2.5 shrink-0 rounded-sm" style={{ backgroundColor: colour }} />
  );
}
