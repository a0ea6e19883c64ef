// Says what changed to those who do not see it: not every word, but that it works, waits, or is done.
import type { SessionView } from '@toolyard/sdk';
import { toToolName } from '../../server/tool-name.ts';

export function Announcer({ view }: { view: SessionView }) {
  return (
    <p role="status" className="sr-only">
      {sayStatus(view)}
    </p>
  );
}

function sayStatus({ status, approvals, questions, items }: SessionView): string {
  const [approval] = approvals;
  if (approval) return `Waits for your approval of ${toToolName(approval.tool).name}`;
  if (questions.length > 0) return 'The agent asks you something';
  if (status === 'running') return 'The agent is working';
  const last = items.at(-1);
  return last?.kind === 'end'
    ? `The turn ${last.outcome === 'limit' ? 'stopped at a limit' : `is ${last.outcome}`}`
    : '';
}
