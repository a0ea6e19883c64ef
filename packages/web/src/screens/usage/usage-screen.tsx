// What models used and what it cost: in sum, over time, and by role, model or session.

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { UsageBy } from '@toolyard/sdk';
import { ChartColumn } from 'lucide-react';
import { useMemo } from 'react';
import { client } from '../../connection/client.ts';
import { useHealth } from '../../connection/health.ts';
import { Segments } from '../../controls/segments.tsx';
import { SkeletonLines } from '../../controls/spinner.tsx';
import { ranges } from '../../navigation/search-params.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Screen } from '../../parts/screen.tsx';
import { useNow } from '../../parts/time.tsx';
import { UsageChart } from './usage-chart.tsx';
import { UsageGroups } from './usage-groups.tsx';
import { type Measure, type Span, toSeries, toSpan } from './usage-span.ts';
import { UsageTotals } from './usage-totals.tsx';

const rangeNames = { '24h': '24 h', '7d': '7 days', '30d': '30 days', '90d': '90 days' };
const groupings = [
  { value: 'role', label: 'Role' },
  { value: 'model', label: 'Model' },
  { value: 'session', label: 'Session' },
] as const;
const measures = [
  { value: 'cost', label: 'Cost' },
  { value: 'tokens', label: 'Tokens' },
] as const;

const hourMs = 3_600_000;

export function UsageScreen() {
  const { range = '7d', by = 'role', measure: wanted } = useSearch({ from: '/usage' });
  const navigate = useNavigate({ from: '/usage' });
  const change = (search: object) =>
    void navigate({ search: (before) => ({ ...before, ...search }), replace: true });
  const hour = Math.floor(useNow() / hourMs) * hourMs;
  const span = useMemo(() => toSpan(range, new Date(hour)), [range, hour]);
  const usage = useUsage(span, by);
  const overTime = useUsage(span, 'day');
  const total = usage.data?.total;
  // What costs nothing says more in tokens.
  const measure: Measure = wanted ?? (total && !total.costUsd ? 'tokens' : 'cost');
  const error = usage.error ?? overTime.error;
  return (
    <Screen
      title="Usage"
      note="What models read and wrote in turns that have ended, and what that cost. What you did with Claude Code outside of Toolyard is not in it."
      actions={
        <Segments
          label="Time"
          value={range}
          options={ranges.map((value) => ({ value, label: rangeNames[value] }))}
          onChange={(value) => change({ range: value })}
        />
      }
    >
      {error && (
        <ErrorNote
          error={error}
          title="Usage could not be read"
          onRetry={() => void Promise.all([usage.refetch(), overTime.refetch()])}
        />
      )}
      {!error && !(usage.data && overTime.data) && <SkeletonLines count={8} label="Reading usage" />}
      {usage.data && overTime.data && <UsageTotals total={usage.data.total} />}
      {usage.data?.total.turns === 0 && <Nothing />}
      {usage.data && usage.data.total.turns > 0 && overTime.data && (
        <>
          <Choices by={by} measure={measure} onChange={change} />
          <UsageChart
            title={`${measure === 'cost' ? 'Cost' : 'Tokens'} by ${by}, each ${span.step}`}
            span={span}
            measure={measure}
            series={toSeries(by, usage.data.items)}
            totals={new Map(overTime.data.items.map((item) => [item.key, item]))}
          />
          <UsageGroups by={by} measure={measure} report={usage.data} />
        </>
      )}
    </Screen>
  );
}

interface ChoicesProps {
  by: (typeof groupings)[number]['value'];
  measure: Measure;
  onChange(search: object): void;
}

function Choices({ by, measure, onChange }: ChoicesProps) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Segments label="By" value={by} options={groupings} onChange={(value) => onChange({ by: value })} />
      <Segments
        label="Measure"
        value={measure}
        options={measures}
        onChange={(value) => onChange({ measure: value })}
      />
    </div>
  );
}

function Nothing() {
  const rehearses = useHealth().data?.rehearsing;
  return (
    <EmptyState
      icon={<ChartColumn />}
      title="Nothing was used in this time"
      note={
        rehearses
          ? 'Say something to an agent: a rehearsal is counted, too, and free.'
          : 'Say something to an agent, or look at a longer time.'
      }
    />
  );
}

/** As many as there are colours that can be told apart. */
const maxGroups = 7;

/** What was used, from the server. */
function useUsage(span: Span, by: UsageBy) {
  const [from, to] = [span.from.toISOString(), span.to.toISOString()];
  return useQuery({
    queryKey: ['usage', from, to, by],
    queryFn: () =>
      client.usage.read({
        from,
        to,
        by,
        step: span.step,
        utcOffset: -span.to.getTimezoneOffset(),
        limit: maxGroups,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
}
