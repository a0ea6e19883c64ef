// How a turn ended: what it used when all is well, and otherwise why it stopped and what to do.
import type { EndItem, TranscriptItem } from '@toolyard/sdk';
import { toReadable } from '@toolyard/sdk';
import { CircleAlert, CircleSlash, CircleStop, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Money } from '../../parts/money.tsx';
import { toDuration } from '../../parts/time-words.ts';
import { useOpenSession } from './session-context.ts';
import { toCount } from './token-count.ts';

const stops = {
  failed: {
    Icon: CircleAlert,
    title: 'The turn failed',
    look: 'border-bad/30 bg-bad-wash',
    tone: 'text-bad',
  },
  interrupted: {
    Icon: CircleStop,
    title: 'Interrupted',
    look: 'bg-sunken',
    tone: 'text-soft',
  },
  limit: {
    Icon: CircleSlash,
    title: 'Stopped at a limit',
    look: 'border-warn/30 bg-warn-wash',
    tone: 'text-warn',
  },
};

export function EndRow({ item, isLast }: { item: TranscriptItem; isLast: boolean }) {
  if (item.kind !== 'end') return null;
  if (item.outcome === 'completed') return <EndFacts end={item} />;
  const { Icon, title, look, tone } = stops[item.outcome];
  return (
    <div className="flex flex-col gap-1.5">
      <Stop
        icon={<Icon className={`mt-0.5 size-4 shrink-0 ${tone}`} aria-hidden="true" />}
        title={title}
        look={look}
        end={item}
        canRetry={isLast}
      />
      <EndFacts end={item} />
    </div>
  );
}

interface StopProps {
  icon: ReactNode;
  title: string;
  look: string;
  end: EndItem;
  canRetry: boolean;
}

function Stop({ icon, title, look, end, canRetry }: StopProps) {
  const { retry, isRetrying, isRunning } = useOpenSession();
  return (
    <div className={`flex items-start gap-2.5 rounded-xl border px-3.5 py-2.5 text-sm ${look}`}>
      {icon}
      <div className="min-w-0 flex-1 wrap-anywhere">
        <p className="font-medium">{title}</p>
        {end.error && (
          <p className="text-soft">
            {toReadable(end.error.message)} <code className="font-mono text-xs">{end.error.code}</code>
          </p>
        )}
      </div>
      {canRetry && !isRunning && (
        <Button size="small" icon={<RotateCw className="size-3.5" />} busy={isRetrying} onClick={retry}>
          {end.outcome === 'failed' ? 'Retry' : 'Go on'}
        </Button>
      )}
    </div>
  );
}

function EndFacts({ end: { seq, usage, costUsd, tookMs } }: { end: EndItem }) {
  const { readAnswer } = useOpenSession();
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-xs text-faint tabular-nums">
      <CopyButton text={() => readAnswer(seq)} label="Copy answer" className="-ml-2" />
      {tookMs !== undefined && <span>{toDuration(tookMs)}</span>}
      {usage && (
        <span title={`${usage.inputTokens} tokens in, ${usage.outputTokens} tokens out`}>
          {toCount(usage.inputTokens)} in, {toCount(usage.outputTokens)} out
        </span>
      )}
      {(usage !== undefined || costUsd !== 0) && <Money usd={costUsd} zero="free" />}
    </p>
  );
}

export function ErrorRow({ item }: { item: TranscriptItem }) {
  if (item.kind !== 'error') return null;
  return (
    <p className="flex items-start gap-2 text-[13px] text-warn wrap-anywhere">
      <CircleAlert className="mt-0.5 size-3.5 shrink-0" aria-hidden="true" />
      <span>
        {toReadable(item.error.message)} <code className="font-mono text-xs">{item.error.code}</code>
      </span>
    </p>
  );
}
