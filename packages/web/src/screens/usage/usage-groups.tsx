// Each group's whole, with its share.
import { Link } from '@tanstack/react-router';
import { toVisibleLine, type UsageBy, type UsageGroup, type UsageSum } from '@toolyard/sdk';
import { Card } from '../../parts/card.tsx';
import { toColour } from './chart-colours.ts';
import { formatCost, toCount } from './format-usage.ts';
import { Swatch } from './usage-chart.tsx';
import { type Measure, type Series, toAmount, toSeries } from './usage-span.ts';

export interface UsageGroupsProps {
  by: UsageBy;
  measure: Measure;
  report: { items: UsageGroup[]; total: UsageSum; rest?: UsageSum | undefined };
}

const names: Record<UsageBy, string> = { role: 'Role', model: 'Model', session: 'Session', day: 'Day' };
const head = 'border-b bg-sunken px-3 py-2 font-medium whitespace-nowrap text-soft';
const number = 'border-b px-3 py-2 text-right whitespace-nowrap';

export function UsageGroups({ by, measure, report: { items, total, rest } }: UsageGroupsProps) {
  const series = toSeries(by, items);
  const whole = toAmount(total, measure);
  const others = rest ? [{ key: '·rest', name: 'All others', sum: rest, points: new Map() }] : [];
  return (
    <Card flush>
      <section
        aria-label={`Usage by ${by}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="overflow-x-auto -outline-offset-2"
      >
        <table className="w-full border-separate border-spacing-0 text-left text-13 tabular-nums">
          <caption className="sr-only">Usage by {by}, most costly first</caption>
          <Head name={names[by]} />
          <tbody>
            {[...series, ...others].map((one, place) => (
              <Row
                key={one.key}
                one={one}
                isSession={by === 'session' && one.key.startsWith('ses_')}
                colour={toColour(place < series.length ? place : Number.POSITIVE_INFINITY)}
                share={whole > 0 ? toAmount(one.sum, measure) / whole : 0}
              />
            ))}
          </tbody>
        </table>
      </section>
    </Card>
  );
}

function Head({ name }: { name: string }) {
  return (
    <thead>
      <tr>
        <th scope="col" className={`${head} w-2/5`}>
          {name}
        </th>
        {['Cost', 'Turns', 'Read', 'From cache', 'Written'].map((column) => (
          <th key={column} scope="col" className={`${head} text-right`}>
            {column}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface RowProps {
  one: Series;
  isSession: boolean;
  colour: string;
  share: number;
}

function Row({ one: { key, name, sum }, isSession, colour, share }: RowProps) {
  return (
    <tr>
      <th scope="row" className="max-w-0 border-b px-3 py-2 font-normal">
        <span className="flex items-center gap-2">
          <Swatch colour={colour} />
          {isSession ? (
            <Link
              to="/sessions/$sessionId"
              params={{ sessionId: key }}
              className="truncate underline decoration-faint/50 underline-offset-2"
            >
              {toVisibleLine(name)}
            </Link>
          ) : (
            <span className="truncate">{toVisibleLine(name)}</span>
          )}
        </span>
        <span aria-hidden="true" className="mt-1 block h-1 overflow-hidden rounded-full bg-sunken">
          <span
            className="block h-full rounded-full"
            style={{ width: `${share * 100}%`, backgroundColor: colour }}
          />
        </span>
      </th>
      <td className={`${number} font-medium ${sum.unpricedTurns > 0 ? 'text-warn' : ''}`}>
        {formatCost(sum)}
      </td>
      <td className={number}>{toCount(sum.turns)}</td>
      <td className={number}>{toCount(sum.inputTokens)}</td>
      <td className={`${number} text-soft`}>{toCount(sum.cacheReadTokens)}</td>
      <td className={number}>{toCount(sum.outputTokens)}</td>
    </tr>
  );
}
