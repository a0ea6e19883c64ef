// How search reads a text: as words in lower case without accents; where a script writes no spaces, as characters; each
// emoji by itself. Everything else, punctuation included, only separates. The same for what is stored and for what is
// looked for, so that a query can be anything and mean nothing but its words.

/** Scripts in which words run on without a space. */
const unspaced = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]`;
const letter = String.raw`[\p{L}\p{N}\p{M}]`;
const emoji = String.raw`\p{Extended_Pictographic}|[\u{1F1E6}-\u{1F1FF}]`;
const word = new RegExp(`(?=${letter})${unspaced}\\p{M}*|${emoji}|(?:(?!${unspaced})${letter})+`, 'gu');
/** What is longer is no word that anybody looks for whole. */
const maxWordLength = 64;

export interface Word {
  /** As it is compared. */
  word: string;
  /** Where it stands in the text. */
  start: number;
  end: number;
}

export function* findWords(text: string): Generator<Word> {
  for (const { 0: found, index: start } of text.matchAll(word)) {
    yield { word: toCompared(found), start, end: start + found.length };
  }
}

function toCompared(found: string): string {
  const folded = found.slice(0, maxWordLength).toLowerCase().normalize('NFKD');
  return folded
    .replace(/[\u0300-\u036f\s"]/g, '')
    .normalize('NFC')
    .toWellFormed();
}

/**
 * What a query looks for: each of its parts, written without a space, as words that stand side by side. A text is found
 * when it has all of them; the last word may be the beginning of one.
 */
export function toPhrases(query: string): string[][] {
  return query
    .split(/\s+/u)
    .map((part) => [...findWords(part)].map((found) => found.word).filter((found) => found !== ''))
    .filter((phrase) => phrase.length > 0);
}

/** A shorter beginning would be that of too many words. */
const minPrefixLength = 3;

/** May the last word of a phrase be only the beginning of one? */
export function isBeginning(word: string): boolean {
  return word.length >= minPrefixLength;
}
