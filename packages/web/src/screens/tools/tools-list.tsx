// The matrix on a narrow screen: each tool with what its call meets, and the roles for which it is so.
import { ToolTitle } from '../../decision-cards/tool-title.tsx';
import { Badge } from '../../parts/badge.tsx';
import type { Cell, ToolRow } from '../../queries/tools-data.ts';
import type { ToolsMatrixProps } from './tools-matrix.tsx';
import { Verdict } from './verdict.tsx';

export function ToolsList({ groups, onOpen }: ToolsMatrixProps) {
  return (
    <section aria-label="Tools by role" className="overflow-hidden rounded-xl border bg-raised">
      {groups.map(([toolkit, rows]) => (
        <section key={toolkit} aria-label={toolkit}>
          <h2 className="border-b bg-sunken px-3 py-1.5 text-xs font-medium tracking-wide text-faint">
            {toolkit}
          </h2>
          <ul>
            {rows.map((row) => (
              <Tool key={row.tool.name} row={row} onOpen={onOpen} />
            ))}
          </ul>
        </section>
      ))}
    </section>
  );
}

function Tool({ row: { tool, cells }, onOpen }: { row: ToolRow; onOpen(tool: string): void }) {
  return (
    <li className="border-b px-3 pb-3">
      <button
        type="button"
        onClick={() => onOpen(tool.name)}
        className="flex min-h-11 w-full cursor-pointer flex-wrap items-center gap-x-2 gap-y-1 py-1.5 text-left text-13 font-medium"
      >
        <span className="min-w-0 flex-1 underline decoration-faint/50 underline-offset-2">
          <ToolTitle tool={tool.name} />
        </span>
        <Badge>{tool.effect}</Badge>
        <Badge>{tool.tier}</Badge>
      </button>
      <dl className="flex flex-col gap-2">
        {toAlike(cells).map(({ cell, roles }) => (
          <div key={roles.join()}>
            <dt className="text-13 text-soft wrap-anywhere">{roles.join(', ')}</dt>
            <dd>
              <Verdict cell={cell} />
            </dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

/** Roles that meet the same by the same rule stand together, in the order of the first of them. */
function toAlike(cells: ToolRow['cells']): { cell: Cell; roles: string[] }[] {
  const alike = new Map<string, { cell: Cell; roles: string[] }>();
  for (const [role, cell] of cells) {
    const key = `${cell.offered} ${cell.verdict} ${cell.rule}`;
    const found = alike.get(key);
    if (found) found.roles.push(role);
    else alike.set(key, { cell, roles: [role] });
  }
  return [...alike.values()];
}
