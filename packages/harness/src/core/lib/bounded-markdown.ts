// Foreign words inside a Markdown document of limited length: quoted or as code, cut where they are too long, the cut
// marked. Lengths are UTF-16 code units throughout. Pure.
import { toCode, toQuote } from './markdown-text.ts';

/** However much room there is, nobody reads more of one piece. */
const maxPieceLength = 24_000;
const nothing = '> –';

/** As a quotation of at most `room` characters; nothing at all when there is no room for one that says something. */
export function quoteWithin(text: string, room: number): string {
  if (text.trim() === '') return nothing.length <= room ? nothing : '';
  let kept = Math.min(text.length, room, maxPieceLength);
  while (kept > 0) {
    const quote = toQuoteOf(text, kept);
    if (quote.length <= room) return quote;
    // What is quoted is longer than it was; how much longer differs from place to place.
    kept = Math.floor((kept * room) / quote.length) - 1;
  }
  return '';
}

function toQuoteOf(text: string, kept: number): string {
  if (kept >= text.length) return toQuote(text);
  const start = cutAt(text, kept);
  return `${toQuote(start)}\n>\n> ⟨… ${text.length - start.length} characters left out⟩`;
}

/** On one line, as code; `most` is how much of the text is kept. */
export function codeWithin(text: string, max: number): string {
  const line = text
    .slice(0, 4 * max)
    .replace(/\s+/g, ' ')
    .trim();
  return toCode(line.length > max ? `${cutAt(line, max)}…` : line);
}

/** Never half of a character. */
export function cutAt(text: string, max: number): string {
  const end = /[\uD800-\uDBFF]/.test(text[max - 1] ?? '') ? max - 1 : max;
  return text.slice(0, end);
}

/** One part of a section: at most `room` characters, or nothing when they are not enough to say something. */
export type Part = (room: number) => string;

export interface Section {
  text: string;
  /** How many of the parts are in it, from the first on. */
  shown: number;
}

const noSection: Section = { text: '', shown: 0 };
/** For `… and 10000 more.` */
const restRoom = 40;

/**
 * A heading and as many parts as there is room for, and how many are missing unless they are told of elsewhere. `each`
 * is the share of the room that one part may take.
 */
export function toSection(
  title: string,
  parts: readonly Part[],
  { room, each, gap, showsRemainder }: { room: number; each: number; gap: string; showsRemainder: boolean },
): Section {
  let text = `## ${title}\n`;
  let shown = 0;
  const max = Math.floor((room - text.length) * each);
  for (const part of parts) {
    const left = room - text.length - gap.length - 1 - restRoom;
    const next = left > 0 ? part(Math.min(left, max)) : '';
    if (next === '') break;
    text += `${shown === 0 ? '\n' : gap}${next}`;
    shown++;
  }
  if (shown === 0) return noSection;
  const rest = parts.length - shown;
  return { text: rest > 0 && showsRemainder ? `${text}\n\n… and ${rest} more.` : text, shown };
}
