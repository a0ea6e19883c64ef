// Long texts, by their two ends or in pieces. Pure.

export const maxTextLength = 2_400;
const maxLines = 20;

export interface HeadAndTail {
  head: string;
  tail: string;
  /** Characters that are in neither. */
  between: number;
}

export function toHeadAndTail(text: string): HeadAndTail {
  if (text.length <= maxTextLength && isFewLines(text)) return { head: text, tail: '', between: 0 };
  const half = maxTextLength / 2;
  const head = firstLines(text.slice(0, half));
  const tail = lastLines(text.slice(Math.max(head.length, text.length - half)));
  return { head, tail, between: text.length - head.length - tail.length };
}

/** So much at each end is made visible before it is cut, so that long runs, counted, take no room. */
const maxVisible = 100_000;

/** The same for a text that `show` makes visible. */
export function toVisibleHeadAndTail(text: string, show: (text: string) => string): HeadAndTail {
  if (text.length <= 2 * maxVisible) return toHeadAndTail(show(text));
  const { head } = toHeadAndTail(show(text.slice(0, maxVisible)));
  const { head: short, tail } = toHeadAndTail(show(text.slice(-maxVisible)));
  return {
    head,
    tail: tail || short,
    between: Math.max(1, text.length - head.length - (tail || short).length),
  };
}

function isFewLines(text: string): boolean {
  return text.split('\n', maxLines + 1).length <= maxLines;
}

function firstLines(text: string): string {
  const lines = text.split('\n');
  return lines.length > maxLines / 2 ? lines.slice(0, maxLines / 2).join('\n') : text;
}

function lastLines(text: string): string {
  const lines = text.split('\n');
  return lines.length > maxLines / 2 ? lines.slice(-maxLines / 2).join('\n') : text;
}

const chunkLength = 8_000;

/** Cuts a text into pieces, at line ends where there are some. */
export function toChunks(text: string): string[] {
  if (text.length <= chunkLength * 2) return [text];
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = toEnd(text, at + chunkLength);
    pieces.push(text.slice(at, text[end - 1] === '\n' ? end - 1 : end));
    at = end;
  }
  return pieces;
}

/** Past the next line end if it is near, else not in the middle of a character. */
function toEnd(text: string, wanted: number): number {
  if (wanted >= text.length) return text.length;
  const line = text.indexOf('\n', wanted);
  if (line !== -1 && line - wanted < chunkLength) return line + 1;
  return /[\udc00-\udfff]/.test(text[wanted] ?? '') ? wanted + 1 : wanted;
}
