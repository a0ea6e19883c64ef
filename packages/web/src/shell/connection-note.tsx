// A bar that says when the server cannot be heard, and what to do. Silent while all is well, and for short breaks.
import { CloudOff, RotateCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useConnectionState } from '../connection/connection-state.ts';
import { useProgram } from '../connection/health.ts';
import { Button } from '../controls/button.tsx';
import { CopyButton } from '../controls/copy-button.tsx';
import { Spinner } from '../controls/spinner.tsx';

/** A break that is over before this is not worth a word. */
const noticeAfterMs = 700;
const lostAfterMs = 8_000;

export function ConnectionNote() {
  const line = useConnectionState();
  const program = useProgram();
  const lasted = useLasted(line.kind === 'retrying' ? line.since : undefined);
  if (line.kind === 'refused')
    return (
      <Bar tone="bad">
        <CloudOff className="size-4 shrink-0" aria-hidden="true" />
        <span className="min-w-0 flex-1">
          {line.error.message} Reload the page; messages that you were writing are kept.
        </span>
        <Button size="small" icon={<RotateCw className="size-3.5" />} onClick={() => location.reload()}>
          Reload
        </Button>
      </Bar>
    );
  if (line.kind !== 'retrying' || lasted < noticeAfterMs) return null;
  const start = program === 'toolyard' ? 'toolyard' : 'npm start';
  if (lasted < lostAfterMs)
    return (
      <Bar tone="warn">
        <Spinner />
        <span>Reconnecting… What was sent is kept, and nothing will be missed.</span>
      </Bar>
    );
  return (
    <Bar tone="bad">
      <CloudOff className="size-4 shrink-0" aria-hidden="true" />
      <span className="min-w-0 flex-1">
        The server is gone. Start it again with{' '}
        <code className="rounded bg-raised px-1 py-0.5 font-mono text-[0.9em]">{start}</code>; this page comes
        back by itself and goes on where it was. If it runs on another port now, open the link that it prints.
      </span>
      <CopyButton text={start} label="Copy the command" />
    </Bar>
  );
}

function Bar({ tone, children }: { tone: 'warn' | 'bad'; children: React.ReactNode }) {
  const classes = tone === 'warn' ? 'bg-warn-wash text-warn' : 'bg-bad-wash text-bad';
  return (
    <div
      role="status"
      className={`flex min-h-10 items-center gap-2.5 border-b px-4 py-1.5 text-sm ${classes}`}
    >
      {children}
    </div>
  );
}

/** Milliseconds since then, looked at twice a second. */
function useLasted(since: number | undefined): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (since === undefined) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [since]);
  return since === undefined ? 0 : now - since;
}
