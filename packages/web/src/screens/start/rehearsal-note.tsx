// Says plainly that no model answers yet, and how to connect one.
import { Drama } from 'lucide-react';
import { useHealth } from '../../connection/health.ts';
import { Code, InlineCode } from '../../parts/code.tsx';

export function RehearsalNote() {
  const { data: health } = useHealth();
  if (!health?.rehearsing) return null;
  const start = health.version === 'development' ? 'npm start' : 'toolyard';
  return (
    <section
      aria-label="Rehearsal"
      className="rounded-xl border border-warn/30 bg-warn-wash px-4 py-3 text-sm"
    >
      <p className="flex items-center gap-2 font-medium text-warn">
        <Drama className="size-4 shrink-0" aria-hidden="true" />
        This is a rehearsal: a built-in script answers, not a model.
      </p>
      <p className="mt-1 text-soft">
        Everything else is real: tools, approvals, the log, this page. It is free, and nothing leaves this
        machine.
      </p>
      <details className="mt-1.5">
        <summary className="w-fit cursor-pointer rounded font-medium text-ink">Connect a model</summary>
        <div className="mt-2 flex flex-col gap-2 text-soft">
          <p>
            Stop the server, then start it with a key, or log in with <InlineCode text="claude" /> first:
          </p>
          <Code text={`ANTHROPIC_API_KEY=… ${start}`} copy label="Command" />
          <p>
            Other providers work the same way, with their own keys. A server that was started with{' '}
            <InlineCode text="--rehearse" /> rehearses until it is started without it.
          </p>
        </div>
      </details>
    </section>
  );
}
