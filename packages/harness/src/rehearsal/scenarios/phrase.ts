// Phrases that a scenario looks for in what a person said. Deliberately not regular expressions: the search never
// goes back, so no phrase and no text can make it slow.

export type Captures = Record<string, string>;

/** Only this much of a text is looked at. */
const maxTextLength = 2_000;
const gap = /(\*|\{[a-z][a-zA-Z0-9]*\})/;
const wordCharacter = /[\p{L}\p{N}_]/u;

/**
 * Finds the phrase anywhere in the text as whole words, in any case. `*` stands for any characters or none,
 * `{name}` for at least one, which is captured.
 */
export function matchPhrase(phrase: string, text: string): Captures | undefined {
  // Literals at even places, the gaps between them at odd ones.
  const tokens = squeeze(phrase).split(gap);
  const original = squeeze(text.slice(0, maxTextLength));
  const folded = fold(original);
  const captures: Captures = {};
  let position = 0;
  for (let index = 0; index < tokens.length; index += 2) {
    const literal = fold(tokens[index] ?? '');
    const name = toName(tokens[index - 1]);
    const isLast = index === tokens.length - 1;
    const isTail = isLast && literal === '' && index > 0;
    const from = position + (name === undefined ? 0 : 1);
    const found = isTail
      ? original.length
      : findLiteral(folded, literal, from, { start: index === 0, end: isLast });
    if (found < 0) return undefined;
    if (name !== undefined) captures[name] = original.slice(position, found).trim();
    position = found + literal.length;
  }
  return Object.values(captures).includes('') ? undefined : captures;
}

/** The names a phrase captures. */
export function captureNames(phrase: string): string[] {
  return phrase.split(gap).flatMap((token, index) => (index % 2 === 1 ? (toName(token) ?? []) : []));
}

/** One form for comparing: whole texts are equal when their forms are. */
export function toComparable(text: string): string {
  return fold(squeeze(text));
}

function toName(token: string | undefined): string | undefined {
  return token?.startsWith('{') ? token.slice(1, -1) : undefined;
}

/** `edges` says at which ends of the literal a word must not go on. */
function findLiteral(
  text: string,
  literal: string,
  from: number,
  edges: { start: boolean; end: boolean },
): number {
  for (let at = text.indexOf(literal, from); at >= 0; at = text.indexOf(literal, at + 1)) {
    const end = at + literal.length;
    const startsWell = !edges.start || !isInsideWord(text, at);
    if (startsWell && (!edges.end || !isInsideWord(text, end))) return at;
    if (literal === '') return -1;
  }
  return -1;
}

/** Whether a word goes on from the character before `at` to the one after it. */
function isInsideWord(text: string, at: number): boolean {
  return at > 0 && wordCharacter.test(text[at - 1] ?? '') && wordCharacter.test(text[at] ?? '');
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Lower case that keeps every position: a few letters grow when lowered and stay as they are. */
function fold(text: string): string {
  return text.replace(/\p{Lu}/gu, (letter) => {
    const lower = letter.toLowerCase();
    return lower.length === letter.length ? lower : letter;
  });
}
