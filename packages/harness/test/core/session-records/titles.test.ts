import { describe, expect, it } from 'vitest';
import { toTitle } from '../../../src/core/session-records/titles.ts';

describe('the title of a session that nobody has named', () => {
  it.each([
    ['the first line', 'Fix the build\n\nIt fails on Tuesdays.', 'Fix the build'],
    ['the first line that says something', '\n \n\tping the server', 'ping the server'],
    ['words without Markdown', '## **Fix** the `build` of [this](https://x.y/z)', 'Fix the build of this'],
    ['a list without its mark', '- 1. > first of all', 'first of all'],
    ['what is in a fence, not the fence', '```ts\nconst x = 1;\n```', 'const x = 1;'],
    ['stars and dashes that mean themselves', 'a * b - c_d_e', 'a * b - c_d_e'],
    ['hidden characters, seen', 'pay\u202e bob\u200b', 'pay⟨U+202E⟩ bob⟨U+200B⟩'],
    ['emoji that are joined', '👩‍💻 works', '👩‍💻 works'],
    ['nothing of nothing', '  \n```\n```', ''],
  ])('is %s', (_, said, title) => {
    expect(toTitle(said)).toBe(title);
  });

  it('is cut at a word, or else between two characters', () => {
    const words = `${'a word '.repeat(20)}`;
    expect(toTitle(words)).toBe(`${'a word '.repeat(11)}a…`);
    const cut = toTitle('🌍'.repeat(60));
    expect(cut).toBe(`${'🌍'.repeat(39)}…`);
    const families = toTitle('👩‍👩‍👧‍👦'.repeat(20));
    expect(families).toBe(`${'👩‍👩‍👧‍👦'.repeat(7)}…`);
    expect(toTitle(`plan ${'x'.repeat(200)}`)).toBe(`plan ${'x'.repeat(74)}…`);
  });

  it('says what is attached before the words about it', () => {
    const data = 'iVBORw0KGgo=';
    const image = { type: 'image' as const, mediaType: 'image/png' as const, data };
    expect(toTitle([image, { type: 'text', text: 'what is this?\nTell me.' }])).toBe('[image] what is this?');
    expect(toTitle([image])).toBe('[image]');
  });
});
