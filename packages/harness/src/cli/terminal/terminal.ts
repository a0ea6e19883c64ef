// What is written to a person's terminal: colour, width, and nothing that could drive the terminal itself.
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
  /** Columns a line may fill; generous when nobody looks. */
  width(): number;
  paint(style: Style, text: string): string;
  /** Resolves when all that was written has left this process. */
  drained(): Promise<void>;
  /** Text of a model or tool, harmless on a terminal and unchanged in a file or pipe. */
  safe(text: string): string;
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Terminal {
  /** Results. */
  out: TextWriter;
  /** Progress, notices and errors. */
  err: TextWriter;
  /** A person who sees what `err` writes and can answer; absent when nobody does. */
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
      // Touching a process's stdin opens it, so not before somebody is to be asked.
      const { stdin } = streams;
      // Where the prompt itself was typed until Ctrl-D, nothing more can be typed.
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

/** The habits of https://no-color.org and https://force-color.org. */
function isColoured(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return isTerminal && env.TERM !== 'dumb';
}

/** One harmless line. */
export function toLine(text: string): string {
  return toReadable(text).replace(/\s+/g, ' ').trim();
}

let graphemes: Intl.Segmenter | undefined;
const wide =
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])/u;

/** What a person sees as one character each. Made when first needed: it takes longer than most commands do. */
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
  // Only the beginning can matter; measuring a megabyte would not.
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
