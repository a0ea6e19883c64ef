// One call of a tool: what was called with what, how it stands, how long it took; opened, all of it.
import type { ToolItem } from '@toolyard/sdk';
import { clsx } from 'clsx';
import { ChevronRight } from 'lucide-react';
import { useEffect } from 'react';
import { DecisionLine } from '../approvals/decision-line.tsx';
import { GrantLine } from '../approvals/grant-line.tsx';
import { InputView } from '../approvals/input-view.tsx';
import { ToolTitle } from '../asking/tool-title.tsx';
import { toDuration } from '../parts/time-words.ts';
import { useElapsed } from '../parts/use-elapsed.ts';
import { toToolName } from '../server/tool-name.ts';
import { TextExcerpt } from '../text/text-excerpt.tsx';
import { isFoundCall } from '../transcript-rows/found.ts';
import { useOpened } from '../transcript-rows/remembered.ts';
import { useOpenSession } from '../transcript-rows/session-context.ts';
import { toBrief } from './tool-brief.ts';
import { ToolOutput } from './tool-output.tsx';
import { ToolProgress } from './tool-progress.tsx';
import { StateMark, sayState } from './tool-state.tsx';

export function ToolCard({ item }: { item: ToolItem }) {
  const [isOpen, setIsOpen] = useOpened(item.toolCallId);
  const isFound = isFoundCall(item, useOpenSession().found);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is found; whoever closes it then means it
  useEffect(() => {
    if (isFound) setIsOpen(true);
  }, [isFound]);
  const isFailed = item.state === 'failed' || item.state === 'unknown';
  return (
    <article
      data-found-call={isFound || undefined}
      aria-label={`Tool call: ${toToolName(item.tool).name}, ${sayState(item)}`}
      className={clsx(
        'min-w-0 overflow-hidden rounded-xl border bg-raised',
        item.state === 'unknown' && 'border-warn/40',
        item.state === 'failed' && 'border-bad/30',
        isFound && 'outline-2 outline-warn',
      )}
    >
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-full cursor-pointer items-center gap-2 px-3 py-2 text-left -outline-offset-2 hover:bg-hover"
      >
        <StateMark item={item} />
        <span className="shrink-0 text-sm font-medium">
          <ToolTitle tool={item.tool} />
        </span>
        <span className="min-w-0 flex-1 truncate font-mono text-xs text-faint">{toBrief(item)}</span>
        <Took item={item} />
        <ChevronRight
          className={clsx('size-3.5 shrink-0 text-faint transition-transform', isOpen && 'rotate-90')}
          aria-hidden="true"
        />
      </button>
      {item.state === 'called' && item.progress && <ToolProgress progress={item.progress} />}
      {item.approval && item.approval.state !== 'pending' && (
        <div className="border-t px-3 py-1.5">
          <DecisionLine decided={item.approval} />
        </div>
      )}
      {item.grant && (
        <div className="border-t px-3 py-1.5">
          <GrantLine grant={item.grant} />
        </div>
      )}
      {isOpen && <Details item={item} />}
      {!isOpen && isFailed && (
        <div className="border-t px-3 py-2">
          <ToolOutput item={item} />
        </div>
      )}
    </article>
  );
}

function Details({ item }: { item: ToolItem }) {
  return (
    <div className="flex flex-col gap-3 border-t px-3 py-3">
      <div>
        <p className="mb-1 text-xs font-medium text-faint">Input</p>
        {item.state === 'writing' ? (
          <TextExcerpt text={item.inputText} label="Input as it is written" />
        ) : (
          <InputView value={item.input} />
        )}
      </div>
      {item.output !== undefined && (
        <div>
          <p className="mb-1 text-xs font-medium text-faint">
            {item.state === 'done' ? 'Output' : 'Outcome'}
          </p>
          <ToolOutput item={item} />
        </div>
      )}
      <p className="font-mono text-xs text-faint wrap-anywhere">{item.toolCallId}</p>
    </div>
  );
}

function Took({ item }: { item: ToolItem }) {
  const isUnderWay = item.state === 'called' && item.approval?.state !== 'pending';
  const elapsedMs = useElapsed(isUnderWay ? item.since : undefined);
  const ms = isUnderWay ? elapsedMs : item.tookMs;
  if (!ms && !item.tookMs) return null;
  return <span className="shrink-0 text-xs text-faint tabular-nums">{toDuration(ms ?? 0)}</span>;
}
