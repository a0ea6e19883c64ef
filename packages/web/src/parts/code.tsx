// Text in monospace with everything hidden made visible. For what is approved pass `strict`, which also writes out
// odd spaces and long runs; otherwise indentation stays as it is.
import { toReadable, toVisible } from '@toolyard/sdk';
import { clsx } from 'clsx';
import { CopyButton } from '../controls/copy-button.tsx';

export interface CodeProps {
  text: string;
  strict?: boolean | undefined;
  /** Offers the original to the clipboard. */
  copy?: boolean | undefined;
  /** Its name, for those who do not see it. */
  label?: string | undefined;
  wrap?: boolean | undefined;
  className?: string | undefined;
}

export function Code({ text, strict, copy, label, wrap = true, className }: CodeProps) {
  return (
    <figure aria-label={label} className={clsx('group relative rounded-lg border bg-sunken', className)}>
      <pre
        ref={reachWhenItScrolls}
        className={clsx(
          'max-h-96 overflow-auto p-3 font-mono text-13 leading-relaxed',
          wrap ? 'whitespace-pre-wrap wrap-anywhere' : 'whitespace-pre',
          copy && 'pr-11',
        )}
      >
        <Marked text={strict ? toVisible(text) : toReadable(text)} />
      </pre>
      {copy && <CopyButton text={text} className="absolute top-1.5 right-1.5 bg-sunken" />}
    </figure>
  );
}

/** What scrolls must be reachable by keyboard; what does not would only be in the way. */
function reachWhenItScrolls(element: HTMLElement | null): void {
  if (!element) return;
  const scrolls = element.scrollHeight > element.clientHeight || element.scrollWidth > element.clientWidth;
  element.tabIndex = scrolls ? 0 : -1;
}

/** A sentence of the server, in which commands and names stand between backticks. */
export function Words({ text }: { text: string }) {
  return toReadable(text)
    .split(/`([^`\n]+)`/)
    .map((piece, index) =>
      index % 2 === 1 ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no other name
        <code key={index} className="rounded bg-raised px-1 py-0.5 font-mono text-[0.9em]">
          {piece}
        </code>
      ) : (
        piece
      ),
    );
}

/** A short piece in a line of text. */
export function InlineCode({ text, className }: { text: string; className?: string | undefined }) {
  return (
    <code
      className={clsx(
        'rounded bg-sunken px-1 py-0.5 font-mono text-[0.88em] ring-1 ring-line ring-inset',
        className,
      )}
    >
      <Marked text={toVisible(text)} />
    </code>
  );
}

const maxMarks = 401;
const marks = /(⟨[^⟩\n]{1,60}⟩)/;

/** Draws what was written out, such as ⟨U+202E⟩, so that it stands out from the text. */
export function Marked({ text }: { text: string }) {
  const pieces = text.split(marks);
  // A text that consists of them needs no emphasis, and thousands of elements would hold up the page.
  if (pieces.length === 1 || pieces.length > maxMarks) return text;
  return pieces.map((piece, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no other name
      <span key={index} className="rounded bg-warn-wash px-0.5 text-warn">
        {piece}
      </span>
    ) : (
      piece
    ),
  );
}
