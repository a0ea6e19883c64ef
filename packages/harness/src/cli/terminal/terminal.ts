// Writes to a person's terminal: colour, width, and untrusted text with its control characters escaped.
import { styleText } from 'node:util';
import { toReadable } from '@toolyard/sdk';
import { createKeyboard, type Keyboard, type KeyStream } from './keyboard.ts';

/** The part of a process's stdout or stderr that we use. */
export interface TextStream {
  write(text: string, written?: () => void): unknown;
  isTTY?: boolean | undefined;
  columns?: number | undefined;
}

export interface TextWriter {
  write(text: string): void;
  line(text?: string): void;
  isTerminal: boolean;
  /** Columns that a line may fill; 200 when the output is not a terminal. */
  width(): number;
  paint(style: Style, text: string): string;
  /** Resolves when everything written is flushed. */
  drained(): Promise<void>;
  /** Text of a model or tool: control characters are escaped for a terminal and kept for a file or pipe. */
  safe(text: string): string;
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Terminal {
  /** Results. */
  out: TextWriter;
  /** Progress, notices and errors. */
  err: TextWriter;
  /** The keyboard of a person who sees `err` and can answer; absent without a terminal. */
  readonly keyboard?: Keyboard | undefined;
}

export interface Streams {
  stdout: TextStream;
  stderr: TextStream;
  stdin?: KeyStream;
}

export function createTerminal(streams: Streams, env: NodeJS.ProcessEnv): Terminal {
  let keyboard: Keyboard | undefined;
  return {
    out: createTextWriter(streams.stdout, env),
    err: createTextWriter(streams.stderr, env),
    get keyboard() {
      if (!streams.stderr.isTTY) return undefined;
      // Reading `process.stdin` opens it, so it is read only when a person is to be asked.
      const { stdin } = streams;
      // After a prompt that was typed on stdin and ended with Ctrl-D, no more input can come.
      if (!stdin?.isTTY || stdin.readableEnded) return undefined;
      keyboard ??= createKeyboard(stdin);
      return keyboard;
    },
  };
}

function createTextWriter(stream: TextStream, env: NodeJS.ProcessEnv): TextWriter {
  const isTerminal = stream.isTTY === true;
  const coloured = isColoured(isTerminal, env);
  return {
    isTerminal,
    write: (text) => void stream.write(text),
    line: (text = '') => void stream.write(`${text}\n`),
    width: () => (isTerminal ? stream.columns || 80 : 200),
    paint: (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text),
    safe: (text) => (isTerminal ? toReadable(text) : text),
    drained: () => new Promise((resolve) => void stream.write('', resolve)),
  };
}

/** Follows https://no-color.org and https://force-color.org. */
function isColoured(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return isTerminal && env.TERM !== 'dumb';
}

/** The text on one line, with control characters escaped. */
export function toLine(text: string): string {
  return toReadable(text).replace(/\s+/g, ' ').trim();
}

let graphemes: Intl.Segmenter | undefined;
const wide =
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])/u;

/** Graphemes of a text. The segmenter is created on first use, because that takes longer than most commands. */
function toSegments(text: string): Intl.Segments {
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return graphemes.segment(text);
}

/** Columns that a line of text takes. */
export function toWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of toSegments(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

/** The text, or as much of its beginning as fits, marked as cut. */
export function cut(text: string, width: number): string {
  // Measures only the beginning: the rest cannot fit.
  const head = text.slice(0, Math.max(0, width) * 8);
  if (head.length === text.length && toWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of toSegments(head)) {
    used += wide.test(segment) ? 2 : 1;
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
