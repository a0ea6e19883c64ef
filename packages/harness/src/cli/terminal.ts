// What is written to a person's terminal: colour, width, and nothing that could drive the terminal itself.
import { styleText } from 'node:util';

/** The part of a process's stdout or stderr that we use. */
export interface TextStream {
  write(text: string): unknown;
  isTTY?: boolean | undefined;
  columns?: number | undefined;
}

export interface Pen {
  write(text: string): void;
  line(text?: string): void;
  isTerminal: boolean;
  /** Columns a line may fill; generous when nobody looks. */
  width(): number;
  paint(style: Style, text: string): string;
  /** Text of a model or tool, harmless on a terminal and unchanged in a file or pipe. */
  safe(text: string): string;
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Terminal {
  /** Results. */
  out: Pen;
  /** Progress, notices and errors. */
  err: Pen;
}

export function createTerminal(
  streams: { stdout: TextStream; stderr: TextStream },
  env: NodeJS.ProcessEnv,
): Terminal {
  return { out: createPen(streams.stdout, env), err: createPen(streams.stderr, env) };
}

function createPen(stream: TextStream, env: NodeJS.ProcessEnv): Pen {
  const isTerminal = stream.isTTY === true;
  const coloured = isColoured(isTerminal, env);
  return {
    isTerminal,
    write: (text) => void stream.write(text),
    line: (text = '') => void stream.write(`${text}\n`),
    width: () => (isTerminal ? (stream.columns ?? 80) : 200),
    paint: (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text),
    safe: (text) => (isTerminal ? toVisible(text) : text),
  };
}

/** The habits of https://no-color.org and https://force-color.org. */
function isColoured(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return isTerminal && env.TERM !== 'dumb';
}

// Control characters except tab and line feed, and the marks that reorder what is shown.
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** Escapes every character that would move the cursor, change the screen or reorder the line. */
export function toVisible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(hidden, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** One harmless line. */
export function toLine(text: string): string {
  return toVisible(text).replace(/\s+/g, ' ').trim();
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const wide =
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])/u;

/** Columns that a line of text takes. */
export function toWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

/** The text, or as much of its beginning as fits, marked as cut. */
export function cut(text: string, width: number): string {
  // Only the beginning can matter; measuring a megabyte would not.
  const head = text.slice(0, Math.max(0, width) * 8);
  if (head.length === text.length && toWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(head)) {
    used += wide.test(segment) ? 2 : 1;
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
