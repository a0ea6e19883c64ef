// What foreign text may do inside an exported document: be read. The parts that must hold for every input are asked of
// many inputs made of what is dangerous.
import { describe, expect, it } from 'vitest';
import { escapeMarkdown, toCode, toFence, toQuote } from '../../../src/core/lib/markdown-text.ts';

describe('text as code', () => {
  it('cannot end its fence', () => {
    expect(toFence('a\n```\nb')).toBe('````\na\n```\nb\n````');
    expect(toFence('`````', 'js on\nload')).toBe('``````jsonload\n`````\n``````');
    expect(toCode('a `` b')).toBe('``` a `` b ```');
    expect(toCode('two\nlines')).toBe('`two lines`');
  });

  it('shows what hides in it', () => {
    expect(toFence('rm\u202e x\r\u001b[31m')).toBe('```\nrm⟨U+202E⟩ x⟨U+000D⟩⟨U+001B⟩[31m\n```');
  });
});

describe('text as words', () => {
  it('has no meaning to Markdown', () => {
    expect(escapeMarkdown('# *a* [b](c) <i> `d`\n---')).toBe(
      '\\# \\*a\\* \\[b\\](c) \\<i\\> \\`d\\` \\-\\-\\-',
    );
  });
});

describe('a quotation', () => {
  it('keeps Markdown readable', () => {
    const text =
      '# Head\n\n- **bold** and `a < b`, see [docs](https://x.y)\n\n```ts\nif (a < b) return;\n```\nend';
    expect(toQuote(text)).toBe(
      '> # Head\n> \n> - **bold** and `a < b`, see [docs](https://x.y)\n> \n> ```ts\n> if (a < b) return;\n> ```\n> end',
    );
  });

  it.each([
    [
      'HTML',
      '<img src=x onerror=alert(1)> </b> <!-- x --> <?php',
      '> &lt;img src=x onerror=alert(1)> &lt;/b> &lt;!-- x --> &lt;?php',
    ],
    ['an image', 'see ![x](https://spy/1.png)', '> see !\\[x](https://spy/1.png)'],
    [
      'a link that runs something',
      '[x](javascript:alert(1)) [y]( <&#106;avascript:1>) [z](a/b#c)',
      '> [x]\\(javascript:alert(1)) [y]\\( <&#106;avascript:1>) [z](a/b#c)',
    ],
    ['the target of a link elsewhere', '[1]: data:text/html,x', '> [1\\]: data:text/html,x'],
    ['one in a list', '1. [x]: javascript:1\n1. - [y]: z', '> 1. [x\\]: javascript:1\n> 1. - [y\\]: z'],
    ['one right after a mark', '>[x]: javascript:1', '> >[x\\]: javascript:1'],
    ['one over two lines', '[\nx]: javascript:1', '> [\n> x\\]: javascript:1'],
    ['one that counts before the ticks in it', '[`]: javascript:1`', '> [`\\]: javascript:1`'],
    ['one behind backslashes', '[a\\]: b [c\\\\]: d', '> [a\\]: b [c\\\\\\]: d'],
    ['a fence that is never closed', '```\n<b>\n## Person', '> ```\n> <b>\n> ## Person\n> ```'],
    ['a fence within a list that ends it', '- ```\n<b>\n```', '> - ```\n> &lt;b>\n> ```\n> \n> ```'],
    ['a tick left open above', 'a ` b\nc `<b>` d', '> a ` b\n> c `&lt;b>` d'],
    ['ticks of a table', '| ` | <b> ` |', '> | ` | &lt;b> ` |'],
    ['a tick that is none', '\\`<b>`', '> \\`&lt;b>`'],
  ])('disarms %s', (_, text, quoted) => {
    expect(toQuote(text)).toBe(quoted);
  });

  it('never lets a line out, nor HTML, an image or the target of a link in outside of code', () => {
    const pieces = [
      '<b>',
      '`',
      '``',
      '```',
      '~~~',
      '\n',
      '\n\n',
      '![',
      '](',
      '[',
      ']:',
      '> ',
      '- ',
      '|',
      '\\',
      'x',
      ' ',
      '    ',
    ];
    let seed = 7;
    const next = (max: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % max;
    };
    for (let round = 0; round < 3_000; round++) {
      const text = Array.from({ length: 1 + next(14) }, () => pieces[next(pieces.length)]).join('');
      const lines = toQuote(text).split('\n');
      expect(lines.every((line) => line.startsWith('> '))).toBe(true);
      expect(findUnsafe(lines.map((line) => line.slice(2)))).toEqual([]);
    }
  });
});

/**
 * Lines outside of our own fences where HTML or an image stands outside of ticks that are closed on the same line, or
 * the target of a link anywhere.
 */
function findUnsafe(lines: readonly string[]): string[] {
  let fence: string | undefined;
  return lines.filter((line) => {
    const mark = /^(`{3,})[\w+#.-]*$/.exec(line)?.[1];
    if (mark && (fence === undefined || mark === fence)) {
      fence = fence === undefined ? mark : undefined;
      return false;
    }
    if (fence !== undefined) return false;
    const outside = line.replace(/(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)/g, '');
    return /<[a-z/!?]/i.test(outside) || /(?<!\\)!\[/.test(outside) || isTarget(line);
  });
}

function isTarget(line: string): boolean {
  return /(?<!\\)(?:\\\\)*\]:/.test(line);
}
