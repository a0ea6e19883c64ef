// What a call would meet, in a word and a colour, and the rule that says so.
import { toVisibleLine } from '@toolyard/sdk';
import { clsx } from 'clsx';
import { Ban, CircleCheck, CircleHelp, Minus } from 'lucide-react';
import type { Cell } from '../../queries/tools-data.ts';

const styles = {
  allow: { word: 'runs', classes: 'text-good', Icon: CircleCheck },
  ask: { word: 'asks', classes: 'text-warn', Icon: CircleHelp },
  deny: { word: 'refused', classes: 'text-bad', Icon: Ban },
  absent: { word: 'not offered', classes: 'text-faint', Icon: Minus },
} as const;

export function toVerdictName({ offered, verdict }: Cell): keyof typeof styles {
  return offered ? verdict : 'absent';
}

export function Verdict({ cell, className }: { cell: Cell; className?: string | undefined }) {
  const { word, classes, Icon } = styles[toVerdictName(cell)];
  return (
    <div className={clsx('flex items-start gap-1.5', className)}>
      <Icon className={clsx('mt-0.5 size-3.5 shrink-0', classes)} aria-hidden="true" />
      <div className="min-w-0">
        <p className={clsx('text-13 leading-4.5 font-medium', classes)}>{word}</p>
        <p className="text-xs leading-4 text-faint" title={toVisibleLine(cell.rule)}>
          {toVisibleLine(cell.rule)}
        </p>
      </div>
    </div>
  );
}
