// How a turn ended: what it used when all is well, and otherwise why it stopped and what to do.
import { type EndItem, type TranscriptItem, toReadable, toVisibleLine } from '@toolyard/sdk';
import { CircleAlert, CircleHelp, CircleSlash, CircleStop, RotateCw, SquarePen } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../controls/button.tsx';
import { CopyButton } from '../controls/copy-button.tsx';
import { Money, toCount } from '../parts/amounts.tsx';
import { toDuration } from '../parts/format-time.ts';
import { useOpenSession } from '../transcript-rows/session-context.ts';
import { toRetryLabel, toStopWords } from './format-stop.ts';

const stops = {
  failed: {
    Icon: CircleAlert,
    title: 'The turn failed',
    classes: 'border-bad/30 bg-bad-wash',
    tone: 'text-bad',
  },
  interrupted: {
    Icon: CircleStop,
    title: 'Interrupted',
    classes: 'bg-sunken',
    tone: 'text-soft',
  },
  limit: {
    Icon: CircleSlash,
    title: 'Stopped at a limit',
    classes: 'border-warn/30 bg-warn-wash',
    tone: 'text-warn',
  },
};

export function EndRow({ item }: { item: TranscriptItem }) {
  if (item.kind !== 'end') return null;
  if (item.outcome === 'completed') return <EndFacts end={item} />;
  const { Icon, title, classes, tone } = stops[item.outcome];
  return (
    <div className="flex flex-col gap-1.5">
      <Stop
        icon={<Icon className={`mt-0.5 size-4 shrink-0 ${tone}`} aria-hidden="true" />}
        title={title}
        classes={classes}
        end={item}
      />
      <EndFacts end={item} />
    </div>
  );
}

interface StopProps {
  icon: ReactNode;
  title: string;
  classes: string;
  end: EndItem;
}

function Stop({ icon, title, classes, end }: StopProps) {
  const { lastEndSeq } = useOpenSession();
  return (
    <div className={`flex items-start gap-2.5 rounded-xl border px-3.5 py-2.5 text-sm ${classes}`}>
      {icon}
      <div className="min-w-0 flex-1 wrap-anywhere">
        <p className="font-medium">{title}</p>
        {end.error && (
          <p className="text-soft">
            {toReadable(toStopWords(end.error.message, { isLatest: end.seq === lastEndSeq }))}{' '}
            <code className="font-mono text-xs">{end.error.code}</code>
          </p>
        )}
      </div>
      <WayOn end={end} />
    </div>
  );
}

/** The latest turn goes on from its last step; of an earlier one the words can be sent once more. */
function WayOn({ end }: { end: EndItem }) {
  const { retry, isRetrying, isRunning, lastEndSeq, edit, readQuestion } = useOpenSession();
  if (end.seq !== lastEndSeq) {
    return (
      <Button
        size="small"
        icon={<SquarePen className="size-3.5" />}
        title="Puts your words back into the field below"
        onClick={() => edit(readQuestion(end.seq))}
      >
        Ask again
      </Button>
    );
  }
  if (isRunning) return null;
  return (
    <Button size="small" icon={<RotateCw className="size-3.5" />} busy={isRetrying} onClick={retry}>
      {toRetryLabel(end)}
    </Button>
  );
}

function EndFacts({ end: { seq, usage, costUsd, tookMs } }: { end: EndItem }) {
  const { readAnswer } = useOpenSession();
  const isUncounted = costUsd === null && usage?.isUncounted && usage.inputTokens + usage.outputTokens === 0;
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-xs text-faint tabular-nums">
      <CopyButton text={() => readAnswer(seq)} label="Copy answer" className="-ml-2" />
      {tookMs !== undefined && <span>{toDuration(tookMs)}</span>}
      {usage && !isUncounted && (
        <span title={`${usage.inputTokens} tokens in, ${usage.outputTokens} tokens out`}>
          {toCount(usage.inputTokens)} in, {toCount(usage.outputTokens)} out
        </span>
      )}
      {isUncounted ? (
        <span title="The model was stopped before it said what it used. Budgets count a guess.">
          stopped before it was counted
        </span>
      ) : (
        (usage !== undefined || costUsd !== 0) && (
          <Money usd={costUsd} knownUsd={usage?.knownUsd} zero="free" />
        )
      )}
    </p>
  );
}

export function ErrorRow({ item }: { item: TranscriptItem }) {
  if (item.kind !== 'error') return null;
  return (
    <p className="flex items-start gap-2 text-13 text-warn wrap-anywhere">
      <CircleAlert className="mt-0.5 size-3.5 shrink-0" aria-hidden="true" />
      <span>
        {toReadable(item.error.message)} <code className="font-mono text-xs">{item.error.code}</code>
      </span>
    </p>
  );
}

/** Something happened that a newer server records: it is not passed over in silence. */
export function UnknownRow({ type }: { type: string }) {
  return (
    <p className="flex items-center gap-2 text-xs text-faint">
      <CircleHelp className="size-3.5 shrink-0" aria-hidden="true" />
      <span className="min-w-0 wrap-anywhere">
        An event this page does not know: <code className="font-mono">{toVisibleLine(type)}</code>. Reload it
        if the server is newer.
      </span>
    </p>
  );
}
