// The evidence: what was decided about each call, what came of it, what people changed; and whether all of it is there.
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { AuditFilter, AuditRow } from '@toolyard/sdk';
import { RotateCw, ScrollText } from 'lucide-react';
import { useCallback, useState } from 'react';
import { Button } from '../../controls/button.tsx';
import { SkeletonLines } from '../../controls/spinner.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Screen } from '../../parts/screen.tsx';
import { useAudit } from './audit-data.ts';
import { AuditFilters } from './audit-filters.tsx';
import { AuditRowDialog } from './audit-row-dialog.tsx';
import { AuditTable } from './audit-table.tsx';
import { VerdictCard } from './verdict-card.tsx';

export function AuditScreen() {
  const filter: AuditFilter = useSearch({ from: '/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const [opened, setOpened] = useState<AuditRow>();
  const change = useCallback((search: AuditFilter) => void navigate({ search, replace: true }), [navigate]);
  const audit = useAudit(filter);
  return (
    <Screen
      title="Audit"
      note="What was decided about each call and why, what came of it, and what people changed about who may do what."
      actions={
        <Button
          icon={<RotateCw className="size-3.5" />}
          busy={audit.isRefetching}
          onClick={() => void audit.refetch()}
        >
          Refresh
        </Button>
      }
    >
      <VerdictCard />
      <AuditFilters filter={filter} onChange={change} />
      <Rows audit={audit} isFiltered={Object.values(filter).some(Boolean)} onOpen={setOpened} />
      {opened && <AuditRowDialog row={opened} onClose={() => setOpened(undefined)} />}
    </Screen>
  );
}

interface RowsProps {
  audit: ReturnType<typeof useAudit>;
  isFiltered: boolean;
  onOpen(row: AuditRow): void;
}

function Rows({ audit, isFiltered, onOpen }: RowsProps) {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = audit;
  if (isPending) return <SkeletonLines count={8} label="Reading the evidence" />;
  const rows = data?.pages.flatMap(({ items }) => items) ?? [];
  const searchedTo = data?.pages.at(-1)?.next;
  return (
    <>
      {error && (
        <ErrorNote error={error} title="The evidence could not be read" onRetry={() => void refetch()} />
      )}
      {rows.length > 0 && <AuditTable rows={rows} onOpen={onOpen} />}
      {rows.length === 0 && !hasNextPage && !error && <Nothing isFiltered={isFiltered} />}
      <div className="flex flex-wrap items-center justify-center gap-3 pb-6 text-13 text-faint">
        {hasNextPage ? (
          <>
            <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {isFiltered ? 'Search further back' : 'Show older rows'}
            </Button>
            {isFiltered && <span role="status">Searched back to row {searchedTo}.</span>}
          </>
        ) : (
          rows.length > 0 && <span>That is all.</span>
        )}
      </div>
    </>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState
        icon={<ScrollText />}
        title="No row fits"
        note="Loosen the filters, or search for another word."
      />
    );
  }
  return (
    <EmptyState
      icon={<ScrollText />}
      title="Nothing was decided yet"
      note="The first tool call of an agent, or the first thing you change here, is written down."
    />
  );
}
