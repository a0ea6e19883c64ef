import { toVisible } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../harness/test/support/processor-time.ts';
import { toChunks, toHeadAndTail, toVisibleHeadAndTail } from '../../src/text/long-text.ts';

describe('the ends of a text', () => {
  it('are the whole of a short one', () => {
    expect(toHeadAndTail('a\nb')).toEqual({ head: 'a\nb', tail: '', between: 0 });
  });

  it('show what stands last, and count what they leave out (A2)', () => {
    const text = `${'# padding\n'.repeat(300)}rm -rf ~`;
    const { head, tail, between } = toHeadAndTail(text);
    expect(tail.endsWith('rm -rf ~')).toBe(true);
    expect(head.length + tail.length + between).toBe(text.length);
  });

  it('leave nothing out behind spaces and empty lines: these are counted (A2)', () => {
    const text = `${' '.repeat(5_000)}rm -rf /${'\n'.repeat(300)}echo done`;
    expect(toVisibleHeadAndTail(text, toVisible)).toEqual({
      head: '⟨5000 × space⟩rm -rf /⟨300 × line break⟩echo done',
      tail: '',
      between: 0,
    });
  });

  it('of many megabytes are found at once', () => {
    const startedAt = processorMs();
    const { tail, between } = toVisibleHeadAndTail(`${'\u200b'.repeat(5_000_000)}tail`, toVisible);
    expect(tail.endsWith('tail')).toBe(true);
    expect(between).toBeGreaterThan(4_900_000);
    expect(processorMs() - startedAt).toBeLessThan(1_000);
  });
});

describe('the pieces of a text', () => {
  it('are the text again, line ends between them', () => {
    const text = Array.from({ length: 5_000 }, (_, line) => `line ${line}`).join('\n');
    expect(toChunks(text).join('\n')).toBe(text);
  });

  it('never cut a character in two', () => {
    const pieces = toChunks('👩'.repeat(20_000));
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    expect(pieces.join('')).toBe('👩'.repeat(20_000));
  });
});
