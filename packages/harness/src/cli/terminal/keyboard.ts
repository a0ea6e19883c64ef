// Reads one key or one line for one question. Text typed before the question could be read never answers it, and
// neither does pasted text.
import { createInterface } from 'node:readline';
import type { ReadStream } from 'node:tty';

/** A key pressed within this time is no answer: the person has not read the question yet. */
const quietMs = 250;
const controlC = '\u0003';

/** A process's stdin. */
export type KeyStream = ReadStream;

export interface Press {
  /** The keys that answer; every other key calls `onOther`. */
  keys: string;
  /** Called once typing has stopped: only now may a key answer. */
  onReady(): void;
  onOther(): void;
  signal: AbortSignal;
}

export interface Keyboard {
  /** The key that was pressed, in lower case; `undefined` when the signal aborts or the terminal closes. */
  press(press: Press): Promise<string | undefined>;
  /** A line; `undefined` after Ctrl-D, or when the signal aborts or the terminal closes. */
  line(question: string, signal: AbortSignal): Promise<string | undefined>;
}

export function createKeyboard(input: KeyStream): Keyboard {
  return {
    press: (press) => readKey(input, press),
    line: (question, signal) => readLine(input, question, signal),
  };
}

function readKey(input: KeyStream, { keys, onReady, onOther, signal }: Press): Promise<string | undefined> {
  return new Promise((resolve) => {
    let ready = false;
    const quiet = setTimeout(() => {
      ready = true;
      onReady();
    }, quietMs);
    const settle = (key?: string) => {
      clearTimeout(quiet);
      input.off('data', onData).off('end', stop);
      signal.removeEventListener('abort', stop);
      if (!input.destroyed) input.setRawMode(false).pause();
      resolve(key);
    };
    const stop = () => settle();
    const onData = (chunk: Buffer) => {
      const typed = chunk.toString('utf8').toLowerCase();
      // In raw mode the terminal does not turn Ctrl-C into a signal.
      if (typed === controlC) process.kill(process.pid, 'SIGINT');
      else if (!ready) quiet.refresh();
      else if (typed.length === 1 && keys.includes(typed)) settle(typed);
      else onOther();
    };
    if (signal.aborted) return settle();
    input.setRawMode(true).on('data', onData).once('end', stop).resume();
    signal.addEventListener('abort', stop, { once: true });
  });
}

function readLine(input: KeyStream, question: string, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const reader = createInterface({ input, output: process.stderr, terminal: true });
    let answer: string | undefined;
    const stop = () => reader.close();
    reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    reader.once('close', () => {
      signal.removeEventListener('abort', stop);
      if (answer === undefined) process.stderr.write('\n');
      resolve(answer);
    });
    reader.question(question, (text) => {
      answer = text;
      reader.close();
    });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
