// Calls of tools; those that ran at once stand side by side.
import type { ToolItem } from '@toolyard/sdk';
import { ApprovalCard } from '../../asking/approval-card.tsx';
import { useOpenSession } from './session-context.ts';
import { ToolCard } from './tool-card.tsx';

export function ToolsRow({ items }: { items: readonly ToolItem[] }) {
  const { approvals } = useOpenSession();
  const ids = new Set(items.map(({ toolCallId }) => toolCallId));
  const asked = approvals.filter(({ toolCallId }) => ids.has(toolCallId));
  const isMany = items.length > 1;
  return (
    <div className="flex flex-col gap-2">
      {isMany && <p className="text-xs text-faint">{items.length} calls at once</p>}
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
