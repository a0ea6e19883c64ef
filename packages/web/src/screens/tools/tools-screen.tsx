// Which role may call which tool, and why; and each tool for itself.
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { PermissionMode } from '@toolyard/sdk';
import { Wrench } from 'lucide-react';
import { useCallback } from 'react';
import { useMedia } from '../../browser-apis/use-media.ts';
import { SearchField } from '../../controls/search-field.tsx';
import { Select } from '../../controls/select.tsx';
import { SkeletonLines } from '../../controls/spinner.tsx';
import type { ToolsSearch } from '../../navigation/search-params.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Screen } from '../../parts/screen.tsx';
import { modes } from '../../queries/modes.ts';
import { toGroups, useRoles, useToolTable } from '../../queries/tools-data.ts';
import { ToolPanel } from './tool-panel.tsx';
import { ToolsList } from './tools-list.tsx';
import { ToolsMatrix } from './tools-matrix.tsx';

const ownMode = {
  value: 'own',
  label: 'Mode: each role’s own',
  note: 'What a new session of the role begins with',
};
const modeOptions = [
  ownMode,
  ...modes.map(({ value, label, note }) => ({ value: String(value), label: `Mode: ${label}`, note })),
];

export function ToolsScreen() {
  const { q = '', mode, tool } = useSearch({ from: '/tools' });
  const navigate = useNavigate({ from: '/tools' });
  const change = useCallback(
    (search: ToolsSearch) => void navigate({ search: (before) => ({ ...before, ...search }), replace: true }),
    [navigate],
  );
  const filter = useCallback((text: string) => change({ q: text || undefined }), [change]);
  const { data, error, refetch, isPending } = useRoles();
  const roles = data?.items ?? [];
  const table = useToolTable(roles, mode);
  const groups = toGroups(table.rows, q);
  const Shown = useMedia('(width >= 48rem)') ? ToolsMatrix : ToolsList;
  const opened = table.rows.find((row) => row.tool.name === tool);
  return (
    <Screen
      full
      title="Tools"
      note="What each role may call, what a first call in a new session would meet, and the rule that decides."
      actions={
        <>
          <SearchField
            label="Filter tools"
            placeholder="Filter"
            value={q}
            onChange={filter}
            className="w-44 max-md:flex-1"
          />
          <ModeSelect mode={mode} onChange={(next) => change({ mode: next })} />
        </>
      }
    >
      {(error ?? table.error) && (
        <ErrorNote
          error={error ?? table.error}
          title="The tools could not be read"
          onRetry={error ? refetch : table.retry}
        />
      )}
      {!(error ?? table.error) && (isPending || table.isPending) && (
        <SkeletonLines count={8} label="Reading tools" />
      )}
      {!table.isPending && table.rows.length > 0 && groups.length === 0 && <Nothing words={q} />}
      {!table.isPending && groups.length > 0 && (
        <Shown roles={roles} groups={groups} onOpen={(name) => change({ tool: name })} />
      )}
      {opened && <ToolPanel row={opened} roles={roles} onClose={() => change({ tool: undefined })} />}
    </Screen>
  );
}

interface ModeSelectProps {
  mode: PermissionMode | undefined;
  onChange(mode: PermissionMode | undefined): void;
}

function ModeSelect({ mode, onChange }: ModeSelectProps) {
  return (
    <Select
      label="Permission mode"
      value={mode ?? ownMode.value}
      options={modeOptions}
      onChange={(value) => onChange(modes.find((one) => one.value === value)?.value)}
    />
  );
}

function Nothing({ words }: { words: string }) {
  const note = `Nothing is called or described like “${words}”.`;
  return <EmptyState icon={<Wrench />} title="No tool fits" note={note} />;
}
