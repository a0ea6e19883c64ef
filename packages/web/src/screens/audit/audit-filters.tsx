// Which evidence to show.
import type { AuditFilter } from '@toolyard/sdk';
import { X } from 'lucide-react';
import { useCallback } from 'react';
import { Button } from '../../controls/button.tsx';
import { SearchField } from '../../controls/search-field.tsx';
import { Select } from '../../controls/select.tsx';

export interface AuditFiltersProps {
  filter: AuditFilter;
  onChange(filter: AuditFilter): void;
}

const any = 'any';
const kinds = [
  { value: any, label: 'Every kind' },
  { value: 'decision', label: 'Decisions', note: 'May a call run? Written before it does' },
  { value: 'result', label: 'Results', note: 'What came of a call' },
  { value: 'change', label: 'Changes', note: 'What people changed about who may do what' },
] as const;
const decisions = [
  { value: any, label: 'Any decision' },
  { value: 'allow', label: 'Allowed' },
  { value: 'deny', label: 'Denied' },
  { value: 'expired', label: 'Expired' },
  { value: 'cancelled', label: 'Cancelled' },
] as const;
const actors = [
  { value: any, label: 'By anyone' },
  { value: 'person', label: 'By people' },
  { value: 'agent', label: 'By agents' },
  { value: 'system', label: 'By Toolyard' },
] as const;

export function AuditFilters({ filter, onChange }: AuditFiltersProps) {
  const search = useCallback((q: string) => onChange({ ...filter, q: q || undefined }), [filter, onChange]);
  return (
    <search className="flex flex-wrap items-center gap-2">
      <SearchField
        label="Search the evidence"
        placeholder="Tool, rule, path, id, word of an input"
        value={filter.q ?? ''}
        onChange={search}
        className="min-w-52 flex-1"
      />
      <Select<(typeof kinds)[number]['value']>
        label="Kind"
        value={filter.kind ?? any}
        options={kinds}
        onChange={(kind) => onChange({ ...filter, kind: kind === any ? undefined : kind })}
      />
      <Select<(typeof decisions)[number]['value']>
        label="Decision"
        value={filter.decision ?? any}
        options={decisions}
        onChange={(decision) => onChange({ ...filter, decision: decision === any ? undefined : decision })}
      />
      <Select<(typeof actors)[number]['value']>
        label="Who"
        value={filter.actor ?? any}
        options={actors}
        onChange={(actor) => onChange({ ...filter, actor: actor === any ? undefined : actor })}
      />
      {filter.tool && (
        <Chip name={`tool ${filter.tool}`} onRemove={() => onChange({ ...filter, tool: undefined })} />
      )}
      {filter.sessionId && (
        <Chip name="one session" onRemove={() => onChange({ ...filter, sessionId: undefined })} />
      )}
    </search>
  );
}

function Chip({ name, onRemove }: { name: string; onRemove(): void }) {
  return (
    <Button size="small" onClick={onRemove} aria-label={`No longer only ${name}`}>
      only {name}
      <X className="size-3.5" aria-hidden="true" />
    </Button>
  );
}
