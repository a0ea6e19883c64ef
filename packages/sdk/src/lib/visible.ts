// Makes what hides visible: what a person approves must be what they see. Shared by every surface that asks.

/** Control, format (bidi, zero-width, tags), lone surrogates, private use, odd line ends, and whatever draws nothing. */
const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Every space that is not the plain one. */
const spaceCharacters = /(?! )\p{Zs}/gu;

/** Letters of Greek and Cyrillic that look like Latin ones. */
const lookalikes = /[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυϲϳЅІЈАВЕЗКМНОРСТУХаеорсухѕіјһԁԛԜԝҮүӀӏ]/gu;
/** Words; what a backslash makes of a letter is none of its word. */
const words = /\\[a-z]|[\p{L}\p{N}]+/gu;
const latin = /\p{Script=Latin}/u;

const manySpaces = / {8,}|\n{4,}|\t{8,}/g;

/** The text with every hidden character written out, such as `⟨U+202E⟩`. Line breaks and tabs stay. */
export function toVisible(text: string): string {
  return text
    .replace(hidden, (char) => escapeOf(char))
    .replace(spaceCharacters, (char) => escapeOf(char))
    .replace(words, toUnmixed)
    .replace(manySpaces, (run) => `⟨${run.length} × ${nameOf(run[0])}⟩`);
}

/** In a word of Latin letters, one that only looks like them is written out. */
function toUnmixed(word: string): string {
  return latin.test(word) ? word.replace(lookalikes, (char) => escapeOf(char)) : word;
}

/** As `toVisible`, on one line. */
export function toVisibleLine(text: string): string {
  return toVisible(text).replace(/\n/g, '⏎').replace(/\t/g, '⇥');
}

/** What joins letters and emoji: nothing to fear where a text is only read. */
const joiners = new Set(['\u200c', '\u200d', '\ufe0e', '\ufe0f']);

/** For text that is read and not approved: as `toVisible`, but joined emoji, indentation and odd spaces stay. */
export function toReadable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(hidden, (char) => (joiners.has(char) ? char : escapeOf(char)));
}

export interface Excerpt {
  /** Visible head and tail, with what lies between counted. */
  text: string;
  /** Length of the original, in characters. */
  length: number;
  cut: boolean;
}

/** Head and tail of a long text, so that nothing can hide behind its length. */
export function toExcerpt(text: string, max = 2_000): Excerpt {
  const visible = toVisible(text);
  if (visible.length <= max) return { text: visible, length: text.length, cut: false };
  const half = Math.floor(max / 2);
  const between = visible.length - 2 * half;
  return {
    text: `${visible.slice(0, half)}\n⟨… ${between} characters not shown …⟩\n${visible.slice(-half)}`,
    length: text.length,
    cut: true,
  };
}

/** An input as a person should read it: pretty JSON, nothing hidden. */
export function toVisibleJson(value: unknown, max?: number): Excerpt {
  return toExcerpt(JSON.stringify(value, undefined, 2) ?? 'undefined', max);
}

function escapeOf(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

function nameOf(char: string | undefined): string {
  if (char === '\n') return 'line break';
  return char === '\t' ? 'tab' : 'space';
}
