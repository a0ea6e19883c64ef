import { describe, expect, it } from 'vitest';
import { noBlocks, readMarkdown } from '../../src/markdown/blocks.ts';

const text = `# Title

A paragraph with **bold** words
on two lines.

- one
  - two

- three

\`\`\`ts
const a = 1;

const b = 2;
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

> quoted
> more

Last 👩‍👧 words.`;

/** Comes in pieces of a few characters. */
function stream(whole: string, size: number) {
  let blocks = noBlocks;
  for (let end = size; end < whole.length + size; end += size) {
    blocks = readMarkdown(whole.slice(0, end), blocks);
  }
  return blocks;
}

describe('blocks of Markdown', () => {
  it('are the same whether the text came at once or in pieces', () => {
    const atOnce = readMarkdown(text, noBlocks).sources;
    for (const size of [1, 3, 7, 40]) {
      expect(stream(text, size).sources.map((source) => source.trim())).toEqual(
        atOnce.map((source) => source.trim()),
      );
    }
  });

  it('that are complete stay as they are while more comes in', () => {
    const before = readMarkdown(text.slice(0, 100), noBlocks);
    const after = readMarkdown(text, before);
    expect(after.sources.slice(0, before.sources.length - 1)).toEqual(before.sources.slice(0, -1));
  });

  it('show a fence that is half written as code', () => {
    const { sources } = readMarkdown('Look:\n\n```ts\nconst a', noBlocks);
    expect(sources.at(-1)).toBe('```ts\nconst a');
  });

  it('begin anew when the text is another one', () => {
    const before = readMarkdown('one\n\ntwo', noBlocks);
    expect(readMarkdown('three', before).sources).toEqual(['three']);
  });

  it('remember what links refer to', () => {
    const { sources, definitions } = readMarkdown('See [it][1].\n\n[1]: https://example.com\n', noBlocks);
    expect([sources, definitions.trim()]).toEqual([['See [it][1].'], '[1]: https://example.com']);
  });

  it('leave a footnote where it stands, also one of a single word', () => {
    const { sources, definitions } = readMarkdown('A foot[^1].\n\n[^1]: note\n', noBlocks);
    expect([sources.map((source) => source.trim()), definitions]).toEqual([
      ['A foot[^1].', '[^1]: note'],
      '',
    ]);
  });

  it('write out what hides, and wait for the other half of a character', () => {
    expect(readMarkdown('a\u202eb\u001b[0m', noBlocks).sources).toEqual(['a⟨U+202E⟩b⟨U+001B⟩[0m']);
    expect(readMarkdown('smile \ud83d', noBlocks).sources).toEqual(['smile ']);
  });
});

const hostile: Record<string, string> = {
  'a line of 5 MB': 'a'.repeat(5_000_000),
  'quotes in quotes': `${'> '.repeat(50_000)}x`,
  'lists in lists': '- '.repeat(50_000),
  'numbers in numbers': '1. '.repeat(50_000),
  'a list of 75,000': '- a\n'.repeat(75_000),
  'open brackets': '['.repeat(300_000),
  'stars without an end': '*a '.repeat(100_000),
  'fences without an end': '```\n'.repeat(75_000),
  'comments without an end': '<!--'.repeat(75_000),
};

describe('hostile Markdown (H11)', () => {
  for (const [name, source] of Object.entries(hostile)) {
    it(`does not hold up the page: ${name}`, () => {
      const startedAt = performance.now();
      const { sources, rest } = readMarkdown(source, noBlocks);
      expect(sources.join('').length + rest.length).toBeGreaterThan(0);
      expect(performance.now() - startedAt).toBeLessThan(3_000);
    });
  }
});
