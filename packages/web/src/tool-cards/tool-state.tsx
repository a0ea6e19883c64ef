// How a call stands, as a mark and in a word.
import type { ToolItem } from '@toolyard/sdk';
import { Check, CircleHelp, PencilLine, ShieldQuestion, X } from 'lucide-react';
import { Spinner } from '../controls/spinner.tsx';

export function sayState({ state, approval }: ToolItem): string {
  if (state === 'writing') return 'is being written';
  if (state === 'unknown') return 'outcome unknown';
  if (state !== 'called') return state;
  return approval?.state === 'pending' ? 'waits for your approval' : 'is running';
}

export function StateMark({ item }: { item: ToolItem }) {
  const title = sayState(item);
  return (
    <span title={title} className="flex size-4 shrink-0 items-center justify-center">
      <Mark item={item} />
      <span className="sr-only">{title}</span>
    </span>
  );
}

function Mark({ item: { state, approval } }: { item: ToolItem }) {
  const size = 'size-4';
  if (state === 'writing') return <PencilLine className={`${size} text-faint`} aria-hidden="true" />;
  if (state === 'done') return <Check className={`${size} text-good`} aria-hidden="true" />;
  if (state === 'failed') return <X className={`${size} text-bad`} aria-hidden="true" />;
  if (state === 'unknown') return <CircleHelp className={`${size} text-warn`} aria-hidden="true" />;
  if (approval?.state === 'pending') {
    return <ShieldQuestion className={`${size} text-warn`} aria-hidden="true" />;
  }
  return <Spinner className="size-3.5 text-accent" />;
}
