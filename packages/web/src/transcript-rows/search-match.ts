// What a search has found in this conversation: which row holds it, and its words marked in it.
import { findWords, isBeginning } from '@toolyard/sdk';
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { useFoundVisits } from '../navigation/found-visits.ts';
import type { Row } from './rows.ts';

export interface Found {
  /** Number of the event where it begins. */
  seq: number;
  /** What was looked for. */
  words: string;
}

/** Where it stands among the rows; -1 when it is not there. */
export function findRow(rows: readonly Row[], { seq, words }: Found): number {
  const exact = rows.findIndex((row) => holds(row, seq));
  // Words that go on after something that is not shown have no row of their own.
  const first = exact >= 0 ? exact : rows.findLastIndex((row) => (toSeq(row) ?? Infinity) <= seq);
  const row = rows[first];
  if (row?.kind !== 'text') return first;
  const texts = rows.map((each) =>
    each.kind === 'text' && each.seq === row.seq ? each.sources.join('\n') : '',
  );
  const wanted = toMatchers(words);
  const hasAll = texts.findIndex((text) => text !== '' && wanted.every((fits) => hasWord(text, fits)));
  if (hasAll >= 0) return hasAll;
  const hasAny = texts.findIndex((text) => wanted.some((fits) => hasWord(text, fits)));
  return hasAny >= 0 ? hasAny : first;
}

/** Which of the calls in a row it was. */
export function isFoundCall(
  { seq, calledSeq }: { seq: number; calledSeq?: number },
  found: Found | undefined,
) {
  return found !== undefined && (calledSeq === found.seq || seq === found.seq);
}

function holds(row: Row, seq: number): boolean {
  if (row.kind === 'tools') return row.items.some((item) => item.calledSeq === seq || item.seq === seq);
  return toSeq(row) === seq;
}

function toSeq(row: Row): number | undefined {
  if (row.kind === 'tools') return row.items[0]?.seq;
  if (row.kind === 'text') return row.seq;
  return 'item' in row && row.kind !== 'queued' ? row.item.seq : undefined;
}

type Matcher = (word: string) => boolean;

/** As the server compares: word by word, and the last one may be only begun. */
function toMatchers(words: string): Matcher[] {
  const wanted = [...findWords(words)].map(({ word }) => word);
  return wanted.map((word, index) => {
    const mayGoOn = index === wanted.length - 1 && isBeginning(word);
    return (other) => other === word || (mayGoOn && other.startsWith(word));
  });
}

function hasWord(text: string, fits: Matcher): boolean {
  for (const { word } of findWords(text)) if (fits(word)) return true;
  return false;
}

/** Shows its row once it is there, and again whenever somebody comes here by such a link. */
export function useFound(
  rows: readonly Row[],
  found: Found | undefined,
  show: (index: number) => void,
): number | undefined {
  const visit = useFoundVisits();
  const shown = useRef<{ found: Found | undefined; visit: number }>(undefined);
  const index = useMemo(() => (found ? findRow(rows, found) : -1), [rows, found]);
  useLayoutEffect(() => {
    if (index < 0 || (shown.current?.found === found && shown.current?.visit === visit)) return;
    shown.current = { found, visit };
    show(index);
  }, [index, found, visit, show]);
  return index < 0 ? undefined : index;
}

const highlightName = 'found';

/** Marks the words where they stand, without a change to what is drawn, and brings the first of them into view. */
export function useMarkedWords(place: RefObject<HTMLElement | null>, words: string | undefined): void {
  useEffect(() => {
    const element = place.current;
    if (!element || words === undefined || !('highlights' in CSS)) return;
    const mark = () => {
      // Of calls that stand side by side, the one that was found.
      const within = element.querySelector<HTMLElement>('[data-found-call]') ?? element;
      const ranges = findRanges(within, toMatchers(words));
      CSS.highlights.set(highlightName, new Highlight(...ranges));
      return ranges[0];
    };
    mark();
    // Once the row has been scrolled to and stands still: its words may be far down in it.
    const timer = setTimeout(() => bringIntoView(mark()), settledMs);
    // A card that opens, or an answer that goes on, brings more of them.
    const changes = new MutationObserver(mark);
    changes.observe(element, { childList: true, characterData: true, subtree: true });
    return () => {
      clearTimeout(timer);
      changes.disconnect();
      CSS.highlights.delete(highlightName);
    };
  }, [place, words]);
}

const settledMs = 200;
const maxMarks = 200;
/** What floats over the lower edge of the view. */
const coveredPixels = 80;

function bringIntoView(range: Range | undefined): void {
  const element = range?.startContainer.parentElement;
  const box = element?.closest('section[aria-label=Conversation]')?.getBoundingClientRect();
  if (!range || !element || !box) return;
  const { top, bottom } = range.getBoundingClientRect();
  if (top < box.top || bottom > box.bottom - coveredPixels) element.scrollIntoView({ block: 'center' });
}

function findRanges(element: HTMLElement, wanted: readonly Matcher[]): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < maxMarks; node = walker.nextNode()) {
    for (const { word, start, end } of findWords(node.textContent ?? '')) {
      if (!wanted.some((fits) => fits(word))) continue;
      const range = new Range();
      range.setStart(node, start);
      range.setEnd(node, end);
      ranges.push(range);
    }
  }
  return ranges;
}
