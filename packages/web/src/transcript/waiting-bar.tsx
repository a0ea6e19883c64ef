// Says that somebody is being waited for when the question itself is out of view, and leads to it.
import { ShieldQuestion } from 'lucide-react';
import { useEffect } from 'react';
import { Button } from '../controls/button.tsx';
import { findCard, showCard } from '../decision-cards/keep-focus.ts';
import { clearRequestedCard, useRequestedCard } from '../decision-cards/requested-card.ts';
import { toToolName } from '../queries/tool-name.ts';
import type { Row } from '../transcript-rows/rows.ts';

export interface Asked {
  index: number;
  id: string;
  words: string;
  count: number;
}

export type AskedRow = Omit<Asked, 'count'>;

export function listAsked(rows: readonly Row[]): AskedRow[] {
  return rows.flatMap((row, index) => toAsked(row, index));
}

/** The first thing asked that is out of view. */
export function findHidden(
  all: readonly AskedRow[],
  range: { startIndex: number; endIndex: number } | null,
): Asked | undefined {
  if (!range) return undefined;
  const hidden = all.filter(({ index }) => index < range.startIndex || index > range.endIndex);
  const [first] = hidden;
  return first && { ...first, count: hidden.length };
}

function toAsked(row: Row, index: number): AskedRow[] {
  if (row.kind === 'approval') return [toApproval(row.approval.id, row.approval.tool, index)];
  if (row.kind === 'question') {
    return [{ index, id: row.question.id, words: 'The agent asks you something' }];
  }
  if (row.kind !== 'tools') return [];
  return row.items.flatMap(({ approval, tool }) =>
    approval?.state === 'pending' ? [toApproval(approval.id, tool, index)] : [],
  );
}

function toApproval(id: string, tool: string, index: number) {
  return { index, id, words: `Allow ${toToolName(tool).name}?` };
}

export interface WaitingBarProps {
  asked: Asked;
  onReview(): void;
}

export function WaitingBar({ asked, onReview }: WaitingBarProps) {
  const review = () => {
    onReview();
    focusSoon(asked.id);
  };
  return (
    <div
      role="status"
      className="pointer-events-auto flex w-full max-w-3xl items-center gap-2.5 rounded-xl border border-warn/40 bg-warn-wash py-1.5 pr-1.5 pl-3.5 text-sm shadow-lg"
    >
      <ShieldQuestion className="size-4 shrink-0 text-warn" aria-hidden="true" />
      <span className="min-w-0 flex-1 truncate">
        <span className="font-medium">Waits for you:</span> {asked.words}
        {asked.count > 1 && ` and ${asked.count - 1} more`}
      </span>
      <Button size="small" onClick={review}>
        Review
      </Button>
    </div>
  );
}

/** What a person went to from elsewhere, as soon as its row is there. */
export function useWantedHere(all: readonly AskedRow[], show: (index: number) => void): void {
  const wanted = useRequestedCard();
  useEffect(() => {
    const asked = all.find(({ id }) => id === wanted);
    if (!asked) return;
    clearRequestedCard();
    if (!findCard(asked.id)) show(asked.index);
    focusSoon(asked.id);
  }, [wanted, all, show]);
}

/** The card itself takes the focus, none of its answers. It is drawn only once it has been scrolled to. */
function focusSoon(id: string, tries = 20): void {
  const card = findCard(id);
  if (card) showCard(card);
  else if (tries > 0) requestAnimationFrame(() => focusSoon(id, tries - 1));
}
