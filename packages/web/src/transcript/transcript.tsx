// The transcript: only what is in view is drawn. It follows what comes in as long as the reader is at the end, and
// stays where it is when they are not.
import { elementScroll, useVirtualizer } from '@tanstack/react-virtual';
import { clsx } from 'clsx';
import { ArrowDown } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useCallback, useMemo, useRef } from 'react';
import { Button } from '../controls/button.tsx';
import { focusHome } from '../decision-cards/keep-focus.ts';
import type { Row } from '../transcript-rows/rows.ts';
import { type Found, useFound, useMarkedWords } from '../transcript-rows/search-match.ts';
import { GuardedRow } from './guarded.tsx';
import { RowView } from './row-view.tsx';
import { atEnd, useFollowEnd, useKeys, useOwnMessages } from './scrolling.ts';
import { findHidden, listAsked, useWantedHere, WaitingBar } from './waiting-bar.tsx';

export interface TranscriptProps {
  rows: readonly Row[];
  /** What a search has found here: its row is shown first, and marked. */
  found: Found | undefined;
  /** Before there is anything. */
  empty: ReactNode;
}

export function Transcript({ rows, found, empty }: TranscriptProps) {
  const box = useRef<HTMLElement>(null);
  /** The view has moved by itself, as when rows above it turn out to be smaller: that was not the reader. */
  const onMoved = useRef(() => {});
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => toEstimate(rows[index]),
    getItemKey: useKeys(rows),
    initialOffset: () => rows.reduce((sum, row) => sum + toEstimate(row), 0),
    overscan: 4,
    anchorTo: 'end',
    scrollToFn: (...where) => {
      elementScroll(...where);
      onMoved.current();
    },
    scrollEndThreshold: atEnd,
    paddingStart: 16,
    paddingEnd: 20,
    scrollPaddingStart: 20,
  });
  const toEnd = useCallback(() => virtual.scrollToEnd(), [virtual]);
  const { isAtEnd, unseen, onScroll, onMove, stopFollowing, followEnd } = useFollowEnd(
    box,
    rows.length,
    toEnd,
  );
  onMoved.current = onMove;
  const show = useCallback(
    (index: number) => {
      stopFollowing();
      virtual.scrollToIndex(index, { align: 'start' });
    },
    [stopFollowing, virtual],
  );
  const onKeyDown = (event: KeyboardEvent) => {
    // The browser's own way there is animated, and gets lost among rows whose heights are only guessed.
    if (event.target !== box.current || (event.key !== 'Home' && event.key !== 'End')) return;
    event.preventDefault();
    if (event.key === 'End') followEnd();
    else show(0);
  };
  useOwnMessages(rows, followEnd);
  const foundAt = useFound(rows, found, show);
  const allAsked = useMemo(() => listAsked(rows), [rows]);
  useWantedHere(allAsked, show);
  const asked = findHidden(allAsked, virtual.range);
  const isAskedInView = allAsked.length > (asked?.count ?? 0);
  const items = virtual.getVirtualItems();
  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={box}
        {...focusHome}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
        aria-label="Conversation"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="h-full overflow-y-auto -outline-offset-2 [overflow-anchor:none]"
      >
        {rows.length === 0 && empty}
        <div className="relative w-full" style={{ height: virtual.getTotalSize() }}>
          <div
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}
          >
            {items.map(({ key, index }) => (
              <div key={key} data-index={index} ref={virtual.measureElement} className="px-4 sm:px-6">
                <Placed row={rows[index]} words={index === foundAt ? found?.words : undefined} />
              </div>
            ))}
          </div>
        </div>
      </section>
      <div className="pointer-events-none absolute inset-x-0 bottom-2 flex flex-col items-center gap-2 px-4">
        {!isAtEnd && <JumpToLatest unseen={unseen} isOffset={isAskedInView} onJump={followEnd} />}
        {asked && <WaitingBar asked={asked} onReview={() => show(asked.index)} />}
      </div>
    </div>
  );
}

function Placed({ row, words }: { row: Row | undefined; words: string | undefined }) {
  const place = useRef<HTMLDivElement>(null);
  useMarkedWords(place, words);
  const isFound = words !== undefined;
  return (
    row && (
      <div className="mx-auto max-w-3xl pb-4">
        <div
          ref={place}
          data-found={isFound || undefined}
          className={
            isFound && row.kind !== 'tools' ? 'rounded-lg outline-2 outline-offset-6 outline-warn' : undefined
          }
        >
          {isFound && <p className="sr-only">Found here:</p>}
          <GuardedRow row={row}>
            <RowView row={row} />
          </GuardedRow>
        </div>
      </div>
    )
  );
}

/** About how high a row is, until it has been drawn. */
function toEstimate(row: Row | undefined): number {
  switch (row?.kind) {
    case 'text':
      return row.size;
    case 'tools':
      return 60 * Math.ceil(row.items.length / 2);
    case 'approval':
    case 'question':
      return 320;
    case 'user':
      return 96;
    default:
      return 40;
  }
}

interface JumpToLatestProps {
  unseen: number;
  /** Something to be answered is in view: none of its words may be covered. */
  isOffset: boolean;
  onJump(): void;
}

/** Back to the end of the transcript, with how much has come in since the reader left it. */
function JumpToLatest({ unseen, isOffset, onJump }: JumpToLatestProps) {
  return (
    <Button
      size="small"
      icon={<ArrowDown className="size-3.5" aria-hidden="true" />}
      onClick={onJump}
      title="Jump to latest"
      className={clsx(
        'pointer-events-auto rounded-full shadow-lg',
        isOffset && 'self-end px-1.75! max-xl:hidden',
      )}
    >
      <span className={clsx(isOffset && 'sr-only')}>Jump to latest</span>
      {unseen > 0 && <span className="text-accent tabular-nums">{unseen} new</span>}
    </Button>
  );
}
