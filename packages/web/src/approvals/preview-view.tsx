// What a call would do, as its tool foretells it. A difference is drawn as one; the words are the tool's, not ours.
import { toVisible } from '@toolyard/sdk';
import { clsx } from 'clsx';
import { useState } from 'react';
import { Button } from '../controls/button.tsx';
import { Marked } from '../parts/code.tsx';
import { TextExcerpt } from '../text/text-excerpt.tsx';

const maxLines = 80;

export function PreviewView({ text }: { text: string }) {
  return isDiff(text) ? <Diff text={text} /> : <TextExcerpt text={text} isStrict label="What it would do" />;
}

function isDiff(text: string): boolean {
  return /^@@ .*@@/m.test(text) || (/^--- /m.test(text) && /^\+\+\+ /m.test(text));
}

function Diff({ text }: { text: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const lines = text.trimEnd().split('\n');
  const isCut = !isWhole && lines.length > maxLines;
  const head = isCut ? lines.slice(0, maxLines / 2) : lines;
  const tail = isCut ? lines.slice(-maxLines / 2) : [];
  return (
    <div className="overflow-hidden rounded-lg border bg-sunken font-mono text-13 leading-relaxed">
      <Lines lines={head} />
      {isCut && (
        <div className="flex items-center gap-3 border-y border-dashed bg-warn-wash px-3 py-1 font-sans text-xs text-warn">
          {lines.length - maxLines} of {lines.length} lines not shown
          <Button size="small" onClick={() => setIsWhole(true)}>
            Show all
          </Button>
        </div>
      )}
      <Lines lines={tail} />
    </div>
  );
}

function Lines({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <div className="py-1.5">
      {lines.map((line, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other name than its place
          key={index}
          className={clsx('px-3 whitespace-pre-wrap wrap-anywhere', toClasses(line))}
        >
          {line === '' ? ' ' : <Marked text={toVisible(line)} />}
        </div>
      ))}
    </div>
  );
}

function toClasses(line: string): string {
  if (line.startsWith('@@')) return 'text-accent';
  if (line.startsWith('+++') || line.startsWith('---')) return 'font-semibold';
  if (line.startsWith('+')) return 'bg-good-wash text-good';
  if (line.startsWith('-')) return 'bg-bad-wash text-bad';
  return 'text-soft';
}
