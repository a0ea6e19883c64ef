// The piece of a text that shows why it was found. Pure.
import { findWords, isBeginning, type SnippetPart, toReadable, type Word } from '@toolyard/sdk';

const before = 60;
const maxSnippetLength = 240;

/** Around the first phrase that is found, with every hit in reach marked. */
export function toSnippet(text: string, phrases: readonly (readonly string[])[]): SnippetPart[] {
  const hits = findHits(text, phrases);
  const first = hits[0]?.start ?? 0;
  const start = first <= before ? 0 : toBoundary(text, first - before);
  const end = Math.min(text.length, start + maxSnippetLength);
  const parts: SnippetPart[] = start > 0 ? [{ text: '…' }] : [];
  let at = start;
  for (const hit of hits) {
    if (hit.start < at || hit.end > end) continue;
    if (hit.start > at) parts.push({ text: toShown(text.slice(at, hit.start)) });
    parts.push({ text: toShown(text.slice(hit.start, hit.end)), hit: true });
    at = hit.end;
  }
  if (at < end) parts.push({ text: toShown(text.slice(at, end)) });
  if (end < text.length) parts.push({ text: '…' });
  return parts.filter((part) => part.text !== '');
}

interface Hit {
  start: number;
  end: number;
}

/** In order, and none within another; as far as a snippet reaches from the first. */
function findHits(text: string, phrases: readonly (readonly string[])[]): Hit[] {
  const longestPhrase = Math.max(1, ...phrases.map(({ length }) => length));
  const last = phrases.at(-1);
  const window: Word[] = [];
  const hits: Hit[] = [];
  const addHits = () => {
    const phrase = phrases.find((words) => matches(window, words, words === last));
    const end = phrase && window[phrase.length - 1]?.end;
    const start = window[0]?.start ?? 0;
    if (end !== undefined && start >= (hits.at(-1)?.end ?? 0)) hits.push({ start, end });
    window.shift();
  };
  for (const word of findWords(text)) {
    if (word.start > (hits[0]?.start ?? Number.POSITIVE_INFINITY) + maxSnippetLength) break;
    window.push(word);
    if (window.length >= longestPhrase) addHits();
  }
  while (window.length > 0) addHits();
  return hits;
}

function matches(window: readonly Word[], words: readonly string[], mayBeBeginning: boolean): boolean {
  return words.every((word, index) => {
    const found = window[index]?.word;
    const isLast = index === words.length - 1;
    return found === word || (isLast && mayBeBeginning && isBeginning(word) && found?.startsWith(word));
  });
}

/** Not in the middle of a word, if there is a space close by; nor of a character. */
function toBoundary(text: string, at: number): number {
  const space = text.slice(at, at + 20).search(/\s/);
  if (space !== -1) return at + space + 1;
  return /[\udc00-\udfff]/.test(text[at] ?? '') ? at + 1 : at;
}

function toShown(text: string): string {
  return toReadable(text.toWellFormed()).replace(/\s+/g, ' ');
}
