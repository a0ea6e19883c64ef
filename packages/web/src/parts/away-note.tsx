// Says of something that it waits for a server which is away, with what can be done about it.
import { CloudOff } from 'lucide-react';
import type { ReactNode } from 'react';

export function AwayNote({ action, children }: { action: ReactNode; children: ReactNode }) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-1.5 rounded-lg border border-warn/40 bg-warn-wash px-3 py-2 text-13"
    >
      <CloudOff className="size-3.5 shrink-0 text-warn" aria-hidden="true" />
      <span className="min-w-0 flex-1">{children}</span>
      {action}
    </div>
  );
}
