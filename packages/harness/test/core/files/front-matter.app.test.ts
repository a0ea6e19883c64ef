import { expect, test } from 'vitest';
import { splitFrontMatter } from '../../../src/core/files/front-matter.ts';
import { refusalOf } from '../../support/workspace.ts';

test('head and body come apart, and lines of the head are numbered like those of the file', () => {
  expect(splitFrontMatter('---\nname: a\nb: c\n---\n\n# Hello\n\n---\nworld\n', 'a.md')).toEqual({
    head: '\nname: a\nb: c\n',
    body: '# Hello\n\n---\nworld',
  });
});

test.each([
  ['Windows line ends', '---\r\nname: a\r\n---\r\nhi\r\n'],
  ['a byte order mark', '\uFEFF---\nname: a\n---\nhi'],
  ['spaces behind the fences', '---  \nname: a\n--- \t\nhi'],
])('%s change nothing', (_, text) => {
  expect(splitFrontMatter(text, 'a.md')).toEqual({ head: '\nname: a\n', body: 'hi' });
});

test('a file may end with its frontmatter', () => {
  expect(splitFrontMatter('---\nname: a\n---', 'a.md')).toEqual({ head: '\nname: a\n', body: '' });
});

test.each(['', 'hello', '# Title\n---\na: 1\n---', ' ---\na: 1\n---', '--\n'])(
  'text without a fence on its first line has no frontmatter: %j',
  (text) => {
    expect(splitFrontMatter(text, 'a.md')).toBeUndefined();
  },
);

test.each([
  '---js',
  '---javascript',
  '--- js',
  '---json',
  '---toml',
  '---coffee',
  '----',
  '---\u200b',
  '---\rjs',
])('C1: a fence that is not three plain dashes is refused: %j', async (fence) => {
  const read = () => splitFrontMatter(`${fence}\nname: a\n---\n`, 'a.md');
  expect(await refusalOf(read)).toEqual(['invalid_config', expect.stringMatching(/^a\.md:1:1: /)]);
});

test('frontmatter that is never closed is refused', async () => {
  expect(await refusalOf(() => splitFrontMatter('---\nname: a\n', 'a.md'))).toEqual([
    'invalid_config',
    'a.md:1:1: the frontmatter that begins here is not closed; end it with a line ---',
  ]);
});
