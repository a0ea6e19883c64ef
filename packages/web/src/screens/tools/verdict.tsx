// What a call would meet, in a word and a colour, and the rule that says so.
import { toVisibleLine } from '@toolyard/sdk';
import { clsx } from 'clsx';
import { Ban, CircleCheck, CircleHelp, Minus } from 'lucide-react';
import type { Cell } from '../../server/tools-data.ts';

const looks = {
  allow: { word: 'runs', look: 'text-good', Icon: CircleCheck },
  ask: { word: 'asks', look: 'text-warn', Icon: CircleHelp },
  deny: { word: 'refused', look: 'text-bad', Icon: Ban },
  absent: { word: 'not offered', look: 'text-faint', Icon: Minus },
} as const;

export function toVerdictName({ offered, verdict }: Cell): keyof typeof looks {
  return offered ? verdict : 'absent';
}

export function Verdict({ cell, className }: { cell: Cell; className?: string | undefined }) {
  const { word, look, Icon } = looks[toVerdictName(cell)];
  return (
    <div className={clsx('flex items-start gap-1.5', className)}>
      <Icon className={clsx('mt-0.5 size-3.5 shrink-0', look)} aria-hidden="true" />
      <div className="min-w-0">
        <p className={clsx('text-13 leading-4.5 font-medium', look)}>{word}</p>
        <p className="text-xs leading-4 text-faint" title={toVisibleLine(cell.rule)}>
          {toVisibleLine(cell.rule)}
        </p>
      </div>
    </div>
  );
}
