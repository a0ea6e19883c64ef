// The agent works and nothing else shows it.
import { Spinner } from '../controls/spinner.tsx';
import { toDuration } from '../parts/time-words.ts';
import { useElapsed } from '../parts/use-elapsed.ts';

export function WorkingRow({ since }: { since: string | undefined }) {
  const elapsedMs = useElapsed(since);
  return (
    <p className="flex items-center gap-2 text-sm text-faint">
      <Spinner className="size-3.5" />
      Working
      {elapsedMs > 3_000 && <span className="tabular-nums">{toDuration(elapsedMs)}</span>}
    </p>
  );
}
