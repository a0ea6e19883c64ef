// A tool by the name a model calls it, with whose it is; the full name on hover.
import { toVisibleLine } from '@toolyard/sdk';
import { toToolName } from '../queries/tool-name.ts';

export function ToolTitle({ tool }: { tool: string }) {
  const { name, owner } = toToolName(tool);
  return (
    <span title={toVisibleLine(tool.slice(0, 300))} className="wrap-anywhere">
      <span className="font-mono text-[0.95em]">{name}</span>
      {owner && <span className="ml-1.5 inline-block text-[0.85em] font-normal text-faint">{owner}</span>}
    </span>
  );
}
