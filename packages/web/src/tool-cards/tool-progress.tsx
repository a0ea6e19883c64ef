// How far a call has come, as it tells.
import { type ToolItem, toVisibleLine } from '@toolyard/sdk';

export function ToolProgress({ progress }: { progress: NonNullable<ToolItem['progress']> }) {
  const { message, done, total } = progress;
  const share = done !== undefined && total ? Math.min(1, Math.max(0, done / total)) : undefined;
  return (
    <div className="flex flex-col gap-1 border-t px-3 py-2 text-xs text-soft">
      {message && <p className="wrap-anywhere">{toVisibleLine(message.slice(0, 500))}</p>}
      {share === undefined ? (
        done !== undefined && <p className="tabular-nums">{done}</p>
      ) : (
        <div className="flex items-center gap-2">
          <progress
            value={share}
            max={1}
            aria-label={message ? toVisibleLine(message.slice(0, 80)) : 'Progress'}
            className="h-1.5 flex-1 overflow-hidden rounded-full bg-sunken [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent [&::-moz-progress-bar]:bg-accent"
          />
          <span className="tabular-nums">
            {done} of {total}
          </span>
        </div>
      )}
    </div>
  );
}
