// Calls of tools; those that ran at once stand side by side.
import type { ToolItem } from '@toolyard/sdk';
import { ApprovalCard } from '../approvals/approval-card.tsx';
import { useOpenSession } from '../transcript-rows/session-context.ts';
import { ToolCard } from './tool-card.tsx';

export interface ToolsRowProps {
  items: readonly ToolItem[];
  /** How many calls ran at once, these and those in the rows that follow. */
  atOnce: number | undefined;
}

export function ToolsRow({ items, atOnce = 1 }: ToolsRowProps) {
  const { approvals } = useOpenSession();
  const ids = new Set(items.map(({ toolCallId }) => toolCallId));
  const asked = approvals.filter(({ toolCallId }) => ids.has(toolCallId));
  const isMany = items.length > 1;
  return (
    <div className="flex flex-col gap-2">
      {atOnce > 1 && <p className="text-xs text-faint">{atOnce} calls at once</p>}
      <div className={isMany ? 'grid items-start gap-2 sm:grid-cols-2' : undefined}>
        {items.map((item) => (
          <ToolCard key={item.toolCallId} item={item} />
        ))}
      </div>
      {asked.map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} />
      ))}
    </div>
  );
}
