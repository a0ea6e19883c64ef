import { describe, expect, it } from 'vitest';
import { findWords, toPhrases } from '../../src/lib/search-terms.ts';

const wordsOf = (text: string) => [...findWords(text)].map(({ word }) => word);

describe('the words of a text', () => {
  it.each([
    ['lower case, without accents', 'Élan VITAL naïve Ångström', ['elan', 'vital', 'naive', 'angstrom']],
    [
      'parts of names and paths',
      'src/core/log-readers.ts getUserName session_id',
      ['src', 'core', 'log', 'readers', 'ts', 'getusername', 'session', 'id'],
    ],
    ['characters where no spaces are written', '東京 です', ['東', '京', 'で', 'す']],
    ['Korean, which has spaces', '한국어 검색', ['한국어', '검색']],
    ['an emoji each', 'ok👩‍💻🇩🇪', ['ok', '👩', '💻', '🇩', '🇪']],
    ['letters that look different and are the same', 'ﬁle Ｆｕｌｌ ①', ['file', 'full', '1']],
    ['none of punctuation', '"* -- (){}^:\\ \u202e\0\ud800', []],
  ])('are %s', (_, text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('are told with their places', () => {
    expect([...findWords('a Café!')]).toEqual([
      { word: 'a', start: 0, end: 1 },
      { word: 'cafe', start: 2, end: 6 },
    ]);
  });

  it('are bounded, however long something without a space is', () => {
    expect(wordsOf('x'.repeat(100_000))).toEqual(['x'.repeat(64)]);
  });
});

describe('a query', () => {
  it('looks for its parts, and within a part for words side by side', () => {
    expect(toPhrases('  log-readers.ts\tNEAR  "a" ')).toEqual([['log', 'readers', 'ts'], ['near'], ['a']]);
    expect(toPhrases('* - ""')).toEqual([]);
  });
});
