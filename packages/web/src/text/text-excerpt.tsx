// A text by its two ends when it is long, with what lies between counted and all of it one press away, so that nothing
// can hide behind its length.
import { toReadable, toVisible } from '@toolyard/sdk';
import { clsx } from 'clsx';
import { useState } from 'react';
import { Button } from '../controls/button.tsx';
import { CopyButton } from '../controls/copy-button.tsx';
import { Marked } from '../parts/code.tsx';
import { useReportHidden } from './hidden-parts.ts';
import { maxTextLength, toVisibleHeadAndTail } from './long-text.ts';
import { PlainText } from './plain-text.tsx';

export interface TextExcerptProps {
  text: string;
  isStrict?: boolean | undefined;
  /** Somebody has asked for all of it already. */
  startsWhole?: boolean | undefined;
  label?: string | undefined;
  className?: string | undefined;
}

export function TextExcerpt({
  text,
  isStrict = false,
  startsWhole = false,
  label,
  className,
}: TextExcerptProps) {
  const [isWhole, setIsWhole] = useState(startsWhole && text.length > maxTextLength);
  const show = isStrict ? toVisible : toReadable;
  const { head, tail, between } = toVisibleHeadAndTail(text, show);
  useReportHidden(!isWhole && between > 0);
  if (isWhole) {
    return <PlainText text={text} isStrict={isStrict} label={label} className={className} />;
  }
  return (
    <div className={clsx('group relative rounded-lg border bg-sunken', className)}>
      <pre className="px-3 py-2 pr-10 font-mono text-13 leading-relaxed whitespace-pre-wrap wrap-anywhere">
        {text === '' ? <span className="text-faint">(empty)</span> : <Marked text={head} />}
      </pre>
      {between > 0 && (
        <>
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-y border-dashed bg-warn-wash px-3 py-1 text-xs text-warn">
            <span>
              {between.toLocaleString('en-US')} of {text.length.toLocaleString('en-US')} characters not shown
            </span>
            <Button size="small" onClick={() => setIsWhole(true)}>
              Show all
            </Button>
          </div>
          <pre className="px-3 py-2 font-mono text-13 leading-relaxed whitespace-pre-wrap wrap-anywhere">
            <Marked text={tail} />
          </pre>
        </>
      )}
      {text.length > 40 && (
        <CopyButton
          text={text}
          className="absolute top-1 right-1 bg-sunken opacity-0 group-hover:opacity-100 focus-visible:opacity-100"
        />
      )}
    </div>
  );
}
