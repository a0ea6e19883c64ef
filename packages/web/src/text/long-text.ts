// Long texts, by their two ends or in pieces. Pure.

export const mostText = 2_400;
const mostLines = 20;

export interface Ends {
  head: string;
  tail: string;
  /** Characters that are in neither. */
  between: number;
}

export function toEnds(text: string): Ends {
  if (text.length <= mostText && isFewLines(text)) return { head: text, tail: '', between: 0 };
  const half = mostText / 2;
  const head = firstLines(text.slice(0, half));
  const tail = lastLines(text.slice(Math.max(head.length, text.length - half)));
  return { head, tail, between: text.length - head.length - tail.length };
}

/** So much at each end is made visible before it is cut, so that long runs, counted, take no room. */
const mostVisible = 100_000;

/** The same for a text that `show` makes visible. */
export function toVisibleEnds(text: string, show: (text: string) => string): Ends {
  if (text.length <= 2 * mostVisible) return toEnds(show(text));
  const { head } = toEnds(show(text.slice(0, mostVisible)));
  const { head: short, tail } = toEnds(show(text.slice(-mostVisible)));
  return {
    head,
    tail: tail || short,
    between: Math.max(1, text.length - head.length - (tail || short).length),
  };
}

function isFewLines(text: string): boolean {
  return text.split('\n', mostLines + 1).length <= mostLines;
}

function firstLines(text: string): string {
  const lines = text.split('\n');
  return lines.length > mostLines / 2 ? lines.slice(0, mostLines / 2).join('\n') : text;
}

function lastLines(text: string): string {
  const lines = text.split('\n');
  return lines.length > mostLines / 2 ? lines.slice(-mostLines / 2).join('\n') : text;
}

const pieceLength = 8_000;

/** Cuts a text into pieces, at line ends where there are some. */
export function toPieces(text: string): string[] {
  if (text.length <= pieceLength * 2) return [text];
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = toEnd(text, at + pieceLength);
    pieces.push(text.slice(at, text[end - 1] === '\n' ? end - 1 : end));
    at = end;
  }
  return pieces;
}

/** Past the next line end if it is near, else not in the middle of a character. */
function toEnd(text: string, wanted: number): number {
  if (wanted >= text.length) return text.length;
  const line = text.indexOf('\n', wanted);
  if (line !== -1 && line - wanted < pieceLength) return line + 1;
  return /[\udc00-\udfff]/.test(text[wanted] ?? '') ? wanted + 1 : wanted;
}
