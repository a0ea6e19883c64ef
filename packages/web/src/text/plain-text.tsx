// Text of any length as it is, with everything hidden written out. A long one is drawn in pieces, of which the browser
// lays out only those that are in view, so that even megabytes do not hold up the page.
import { toReadable, toVisible } from '@toolyard/sdk';
import { clsx } from 'clsx';
import { memo, useMemo, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { Marked } from '../parts/code.tsx';
import { toChunks } from './long-text.ts';

/** Pieces that are drawn at once; the rest waits for a press. */
const maxPieces = 40;

export interface PlainTextProps {
  text: string;
  /** For what is approved: odd spaces and long runs are written out, too. */
  isStrict?: boolean | undefined;
  /** Without a frame of its own. */
  isFlush?: boolean | undefined;
  label?: string | undefined;
  className?: string | undefined;
}

export function PlainText({ text, isStrict = false, isFlush, label, className }: PlainTextProps) {
  const pieces = useMemo(() => toChunks(text), [text]);
  const [shown, setShown] = useState(maxPieces);
  return (
    <section
      aria-label={label ?? 'Text'}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className={clsx(
        'max-h-112 overflow-auto p-3 font-mono text-13 leading-relaxed whitespace-pre-wrap wrap-anywhere',
        !isFlush && 'rounded-lg border bg-sunken',
        className,
      )}
    >
      {pieces.length === 1 ? (
        <Piece text={text} isStrict={isStrict} />
      ) : (
        pieces.slice(0, shown).map((piece, index) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: a piece of a text has no other name than its place
            key={index}
            className="[contain-intrinsic-size:auto_1200px] [content-visibility:auto]"
          >
            <Piece text={piece} isStrict={isStrict} />
          </div>
        ))
      )}
      {pieces.length > shown && (
        <Button size="small" className="mt-2" onClick={() => setShown(shown + maxPieces)}>
          Show more ({(pieces.length - shown).toLocaleString('en-US')} of{' '}
          {pieces.length.toLocaleString('en-US')} pieces left)
        </Button>
      )}
    </section>
  );
}

const Piece = memo(function Piece({ text, isStrict }: { text: string; isStrict: boolean }) {
  return <Marked text={isStrict ? toVisible(text) : toReadable(text)} />;
});
