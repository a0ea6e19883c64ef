// Roles across, tools down. Head and first column stay in sight; a tool's name opens its panel.
import type { Role } from '@toolyard/sdk';
import { ToolTitle } from '../../decision-cards/tool-title.tsx';
import { Badge } from '../../parts/badge.tsx';
import type { ToolRow } from '../../queries/tools-data.ts';
import { Verdict } from './verdict.tsx';

export interface ToolsMatrixProps {
  roles: readonly Role[];
  groups: readonly (readonly [toolkit: string, rows: readonly ToolRow[]])[];
  onOpen(tool: string): void;
}

export function ToolsMatrix({ roles, groups, onOpen }: ToolsMatrixProps) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label="Tools by role"
      className="min-h-0 flex-1 overflow-auto rounded-xl border bg-raised"
    >
      <table className="w-full border-separate border-spacing-0 text-left text-sm">
        <caption className="sr-only">What a call of each tool meets, for each role</caption>
        <thead>
          <tr>
            <th
              scope="col"
              className="sticky top-0 left-0 z-20 w-52 min-w-40 border-r border-b bg-sunken px-3 py-2 text-13 font-medium text-soft sm:min-w-52"
            >
              Tool
            </th>
            {roles.map((role) => (
              <RoleHead key={role.name} role={role} />
            ))}
          </tr>
        </thead>
        {groups.map(([toolkit, rows]) => (
          <tbody key={toolkit}>
            <tr>
              <th
                scope="rowgroup"
                colSpan={roles.length + 1}
                className="border-b bg-ground px-3 py-1.5 text-xs font-medium tracking-wide text-faint"
              >
                <span className="sticky left-3">{toolkit}</span>
              </th>
            </tr>
            {rows.map((row) => (
              <Row key={row.tool.name} row={row} roles={roles} onOpen={onOpen} />
            ))}
          </tbody>
        ))}
      </table>
    </section>
  );
}

function RoleHead({ role: { name, category, access, description } }: { role: Role }) {
  return (
    <th
      scope="col"
      title={description}
      className="sticky top-0 z-10 min-w-26 border-b bg-sunken px-3 py-2 align-top wrap-anywhere"
    >
      <p className="font-medium">{name}</p>
      <p className="text-xs font-normal text-faint">{access ? `${access} access` : category}</p>
    </th>
  );
}

interface RowProps {
  row: ToolRow;
  roles: readonly Role[];
  onOpen(tool: string): void;
}

function Row({ row: { tool, cells }, roles, onOpen }: RowProps) {
  return (
    <tr className="group">
      <th
        scope="row"
        className="sticky left-0 z-10 border-r border-b bg-raised px-3 py-2 align-top font-normal group-hover:bg-hover"
      >
        <button
          type="button"
          onClick={() => onOpen(tool.name)}
          className="cursor-pointer text-left text-13 font-medium decoration-faint/50 underline-offset-2 hover:underline"
        >
          <ToolTitle tool={tool.name} />
        </button>
        <div className="mt-1 flex flex-wrap gap-1">
          <Badge>{tool.effect}</Badge>
          <Badge title="How often it asks, unless something else decides">{tool.tier}</Badge>
        </div>
      </th>
      {roles.map(({ name }) => {
        const cell = cells.get(name);
        return (
          <td key={name} className="border-b px-3 py-2 align-top wrap-anywhere group-hover:bg-hover">
            {cell ? <Verdict cell={cell} /> : <p className="text-xs text-faint">another engine’s tool</p>}
          </td>
        );
      })}
    </tr>
  );
}
