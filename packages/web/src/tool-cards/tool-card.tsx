// One call of a tool: what was called with what, how it stands, how long it took; opened, all of it.

import { Link } from '@tanstack/react-router';
import { type ToolItem, toVisibleLine } from '@toolyard/sdk';
import { clsx } from 'clsx';
import { Check, ChevronRight, CircleHelp, KeyRound, PencilLine, ShieldQuestion, X } from 'lucide-react';
import { useEffect } from 'react';
import { DecisionLine } from '../approvals/decision-line.tsx';
import { toInputBrief, toWritingBrief } from '../approvals/input-brief.ts';
import { InputView } from '../approvals/input-view.tsx';
import { Spinner } from '../controls/spinner.tsx';
import { formatGrant } from '../decision-cards/format-decision.ts';
import { ToolTitle } from '../decision-cards/tool-title.tsx';
import { toDuration } from '../parts/format-time.ts';
import { useElapsed } from '../parts/time.tsx';
import { toShortId } from '../queries/actor-names.ts';
import { toToolName } from '../queries/tool-name.ts';
import { TextExcerpt } from '../text/text-excerpt.tsx';
import { useExpanded } from '../transcript-rows/expanded-rows.ts';
import { isFoundCall } from '../transcript-rows/search-match.ts';
import { useOpenSession } from '../transcript-rows/session-context.ts';
import { ToolOutput } from './tool-output.tsx';

export function ToolCard({ item }: { item: ToolItem }) {
  const [isOpen, setIsOpen] = useExpanded(item.toolCallId);
  const isFound = isFoundCall(item, useOpenSession().found);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is found; whoever closes it then means it
  useEffect(() => {
    if (isFound) setIsOpen(true);
  }, [isFound]);
  const isFailed = item.state === 'failed' || item.state === 'unknown';
  return (
    <article
      data-found-call={isFound || undefined}
      aria-label={`Tool call: ${toToolName(item.tool).name}, ${formatState(item)}`}
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

/** A call on one line: of one that is still being written, the newest of its input. */
function toBrief({ state, input, inputText }: ToolItem): string {
  return state === 'writing' ? toWritingBrief(inputText) : toInputBrief(input);
}

/** How far a call has come, as it tells. */
function ToolProgress({ progress }: { progress: NonNullable<ToolItem['progress']> }) {
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

function formatState({ state, approval }: ToolItem): string {
  if (state === 'writing') return 'is being written';
  if (state === 'unknown') return 'outcome unknown';
  if (state !== 'called') return state;
  return approval?.state === 'pending' ? 'waits for your approval' : 'is running';
}

/** How a call stands, as a mark and in a word. */
function StateMark({ item }: { item: ToolItem }) {
  const title = formatState(item);
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

/** Which grant let a call run without a question, and the way to take it back. */
function GrantLine({ grant: { id, scope } }: { grant: NonNullable<ToolItem['grant']> }) {
  return (
    <span className="flex items-start gap-1.5 text-13 text-soft">
      <KeyRound className="mt-0.75 size-3.5 shrink-0 text-good" aria-hidden="true" />
      <span className="min-w-0">
        {formatGrant(scope)}{' '}
        <Link
          to="/settings"
          search={{ tab: 'grants' }}
          title={id}
          className="font-mono text-xs underline decoration-faint/50 underline-offset-2 hover:text-ink"
        >
          {toShortId(id)}
        </Link>
      </span>
    </span>
  );
}
