// What reaches a terminal: nothing that drives it, in the right width and colours.
import { describe, expect, it } from 'vitest';
import { createTerminal, cut, toLine, toWidth } from '../../../src/cli/terminal/terminal.ts';
import { processorMs } from '../../support/processor-time.ts';

function penOn(stream: { isTTY?: boolean; columns?: number }, env: NodeJS.ProcessEnv = {}) {
  return createTerminal({ stdout: { write: () => true, ...stream }, stderr: process.stderr }, env).out;
}

describe('toLine', () => {
  it('is one line with nothing in it that moves the cursor, changes the screen or reorders it', () => {
    expect(toLine(' a\u001b[2J\rb\n\tc \u202ed\u009b ')).toBe('a⟨U+001B⟩[2J⟨U+000D⟩b c ⟨U+202E⟩d⟨U+009B⟩');
    expect(toLine('é 漢 👩‍👧')).toBe('é 漢 👩‍👧');
  });
});

describe('a pen', () => {
  it('makes text safe for a terminal and keeps it as it is for a file or a pipe', () => {
    expect(penOn({ isTTY: true }).safe('\u001b[31mred')).toBe('⟨U+001B⟩[31mred');
    expect(penOn({}).safe('\u001b[31mred')).toBe('\u001b[31mred');
  });

  it('paints on a terminal unless told otherwise, and elsewhere only when told', () => {
    const red = '\u001b[31mx\u001b[39m';
    expect(penOn({ isTTY: true }).paint('red', 'x')).toBe(red);
    expect(penOn({ isTTY: true }, { NO_COLOR: '1' }).paint('red', 'x')).toBe('x');
    expect(penOn({ isTTY: true }, { NO_COLOR: '' }).paint('red', 'x')).toBe(red);
    expect(penOn({ isTTY: true }, { TERM: 'dumb' }).paint('red', 'x')).toBe('x');
    expect(penOn({}).paint('red', 'x')).toBe('x');
    expect(penOn({}, { FORCE_COLOR: '1' }).paint('red', 'x')).toBe(red);
  });

  it('fills the terminal it has', () => {
    expect(penOn({ isTTY: true, columns: 42 }).width()).toBe(42);
    expect(penOn({ isTTY: true }).width()).toBe(80);
    expect(penOn({ isTTY: true, columns: 0 }).width()).toBe(80);
    expect(penOn({}).width()).toBe(200);
  });
});

describe('cut', () => {
  it('keeps what fits and marks what does not', () => {
    expect(cut('12345', 5)).toBe('12345');
    expect(cut('123456', 5)).toBe('1234…');
    expect(cut('漢字漢字', 5)).toBe('漢字…');
    expect(cut('👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 5)).toBe('👩‍👩‍👧‍👦👩‍👩‍👧‍👦…');
    expect(cut('abc', 0)).toBe('…');
  });

  it('measures the width of wide and joined characters', () => {
    expect(['abc', '漢字', '👍', 'é', '👩‍👩‍👧‍👦'].map(toWidth)).toEqual([3, 4, 2, 1, 2]);
  });

  it('is quick on a megabyte', () => {
    const started = processorMs();
    expect(toWidth(cut(toLine('x'.repeat(1_000_000)), 80))).toBe(80);
    expect(processorMs() - started).toBeLessThan(500);
  });
});
