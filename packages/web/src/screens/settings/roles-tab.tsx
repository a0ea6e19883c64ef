// Roles: what each kind of agent may do, and which files say so; broken files first.
import { type Role, toReadable, toVisibleLine } from '@toolyard/sdk';
import { FileWarning } from 'lucide-react';
import type { ReactNode } from 'react';
import { SkeletonLines } from '../../controls/spinner.tsx';
import { Badge } from '../../parts/badge.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { toModeLabel } from '../../queries/modes.ts';
import { useRoles } from '../../queries/tools-data.ts';

export function RolesTab() {
  const { data, error, refetch } = useRoles();
  if (error && !data)
    return <ErrorNote error={error} title="The roles could not be read" onRetry={() => void refetch()} />;
  if (!data) return <SkeletonLines count={6} label="Reading roles" />;
  return (
    <div className="flex flex-col gap-4">
      <p className="max-w-prose text-sm text-soft">
        A role is a Markdown file. Those that ship can be replaced by files of the same name in the home of
        the server, and those by a trusted workspace’s.
      </p>
      {data.broken.map(({ file, problem }) => (
        <section
          key={file}
          aria-label={`Broken: ${toVisibleLine(file)}`}
          className="flex gap-3 rounded-xl border border-bad/40 bg-bad-wash p-4 text-13"
        >
          <FileWarning className="size-4.5 shrink-0 text-bad" aria-hidden="true" />
          <div className="min-w-0">
            <p className="font-mono font-medium wrap-anywhere">{toVisibleLine(file)}</p>
            <p className="text-bad wrap-anywhere whitespace-pre-line">{toReadable(problem)}</p>
          </div>
        </section>
      ))}
      <ul className="grid gap-3 lg:grid-cols-2">
        {data.items.map((role) => (
          <li key={role.name}>
            <RoleCard role={role} />
          </li>
        ))}
      </ul>
    </div>
  );
}

const sources: Record<Role['source'], string> = {
  shipped: 'ships with Toolyard',
  home: 'yours',
  workspace: 'the workspace’s',
  code: 'the program’s around it',
};

function RoleCard({ role }: { role: Role }) {
  const { name, description, source, category, access, engine, model, mode, tools } = role;
  const tiers = Object.entries(tools.tiers).map(([tool, tier]) => `${tool} (${tier})`);
  return (
    <article aria-label={name} className="flex h-full flex-col gap-2 rounded-xl border bg-raised p-4 text-13">
      <header className="flex flex-wrap items-center gap-2">
        <h2 className="text-sm font-semibold">{name}</h2>
        <Badge tone={source === 'shipped' ? 'neutral' : 'accent'}>{sources[source]}</Badge>
        <Badge>{access ? `${access} access` : category}</Badge>
        {mode && <Badge tone={mode === 'bypassPermissions' ? 'bad' : 'neutral'}>{toModeLabel(mode)}</Badge>}
        {engine && <Badge>{engine}</Badge>}
        {model && <Badge mono>{toVisibleLine(model)}</Badge>}
      </header>
      <p className="text-soft">{toVisibleLine(description)}</p>
      <dl className="flex flex-col gap-1">
        <Patterns name="Also has" patterns={tools.allow} />
        <Patterns name="Never has" patterns={tools.deny} />
        <Patterns name="Asks" patterns={tiers} />
      </dl>
      <details className="mt-auto">
        <summary className="cursor-pointer text-faint hover:text-ink">Instructions</summary>
        <p className="mt-2 max-h-64 overflow-y-auto rounded-lg border bg-sunken p-3 whitespace-pre-wrap">
          {toReadable(role.instructions)}
        </p>
      </details>
      <p className="font-mono text-xs text-faint wrap-anywhere">{toVisibleLine(role.file)}</p>
    </article>
  );
}

function Patterns({ name, patterns }: { name: string; patterns: readonly string[] }): ReactNode {
  if (patterns.length === 0) return null;
  return (
    <div className="flex gap-2">
      <dt className="w-20 shrink-0 text-faint">{name}</dt>
      <dd className="min-w-0 font-mono text-xs leading-5 wrap-anywhere">
        {patterns.map(toVisibleLine).join(', ')}
      </dd>
    </div>
  );
}
