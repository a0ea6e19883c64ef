// Code with its language, a button to copy it, and colours once the highlighter is there. A long one is folded.
import { useState } from 'react';
import { Button } from '../controls/button.tsx';
import { CopyButton } from '../controls/copy-button.tsx';
import { Marked } from '../parts/code.tsx';
import { PlainText } from '../text/plain-text.tsx';
import { useHighlighted } from './highlight.tsx';

const maxLines = 400;
const maxText = 30_000;
/** A block that still grows is coloured only while that costs nothing. */
const maxLive = 4_000;

export interface CodeBlockProps {
  text: string;
  language?: string | undefined;
  isOpen?: boolean | undefined;
}

export function CodeBlock({ text, language = '', isOpen = false }: CodeBlockProps) {
  const [isWhole, setIsWhole] = useState(false);
  const name = language.trim().split(/\s/)[0] ?? '';
  const shown = isWhole ? text : toHead(text);
  const isCut = shown.length < text.length;
  const isColoured = !isWhole && (!isOpen || shown.length <= maxLive);
  const coloured = useHighlighted(shown, isColoured ? name : '');
  return (
    <figure className="overflow-hidden rounded-lg border bg-sunken">
      <figcaption className="flex h-8 items-center justify-between border-b pr-1 pl-3 text-xs text-faint">
        <span className="font-mono">{name || 'text'}</span>
        <CopyButton text={text} label="Copy code" />
      </figcaption>
      {isWhole ? (
        <PlainText text={text} isFlush />
      ) : (
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          className="overflow-x-auto px-3.5 py-3 font-mono text-13 leading-relaxed"
        >
          <code>{coloured ?? <Marked text={shown} />}</code>
        </pre>
      )}
      {isCut && (
        <div className="border-t px-2 py-1.5">
          <Button variant="ghost" size="small" onClick={() => setIsWhole(true)}>
            Show all {text.length.toLocaleString('en-US')} characters
          </Button>
        </div>
      )}
    </figure>
  );
}

function toHead(text: string): string {
  const short = text.slice(0, maxText);
  const lines = short.split('\n', maxLines + 1);
  return lines.length > maxLines ? lines.slice(0, maxLines).join('\n') : short;
}
