// The whole of a range in a few numbers.
import type { UsageSum } from '@toolyard/sdk';
import type { ReactNode } from 'react';
import { formatCost, toCount } from './format-usage.ts';

export function UsageTotals({ total }: { total: UsageSum }) {
  const { turns, inputTokens, outputTokens, cacheReadTokens, unpricedTurns } = total;
  const cached = inputTokens > 0 ? Math.round((cacheReadTokens / inputTokens) * 100) : 0;
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-xl border bg-line lg:grid-cols-4">
      <Fact
        name="Cost"
        value={<Cost total={total} />}
        note={formatPrices(total)}
        tone={unpricedTurns > 0 ? 'warn' : 'plain'}
      />
      <Fact name="Turns" value={toCount(turns)} note="that used a model" />
      <Fact name="Tokens read" value={toCount(inputTokens)} note={`${cached} % of them from a cache`} />
      <Fact name="Tokens written" value={toCount(outputTokens)} note="by models" />
    </dl>
  );
}

/** What is not known stands beside what is, and smaller. */
function Cost({ total }: { total: UsageSum }) {
  const [known, unknown] = formatCost(total).split(' + ');
  return (
    <>
      {known}
      {unknown && ' '}
      {unknown && <span className="text-sm font-medium whitespace-nowrap text-warn">+ {unknown}</span>}
    </>
  );
}

function formatPrices({ turns, unpricedTurns, costUsd }: UsageSum): string {
  if (unpricedTurns > 0) {
    const what = unpricedTurns === 1 ? 'One turn is' : `${unpricedTurns.toLocaleString('en-US')} turns are`;
    return `${what} not in it: stopped before it was counted, or of a model without a known price`;
  }
  if (turns > 0 && costUsd === 0) return 'a rehearsal costs nothing';
  return 'by the price list; your bill decides';
}

interface FactProps {
  name: string;
  value: ReactNode;
  note: ReactNode;
  tone?: 'plain' | 'warn';
}

function Fact({ name, value, note, tone = 'plain' }: FactProps) {
  return (
    <div className="flex flex-col bg-raised px-4 py-3">
      <dt className="text-13 text-soft">{name}</dt>
      <dd className="text-2xl font-semibold tracking-tight tabular-nums">{value}</dd>
      <dd className={tone === 'warn' ? 'text-xs text-warn' : 'text-xs text-faint'}>{note}</dd>
    </div>
  );
}
