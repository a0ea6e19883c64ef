import { Slug } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { nextSlug, toSlug } from '../../../src/core/tasks/task-slugs.ts';
import { createRandom } from '../protected-paths/path-machine.ts';

describe('toSlug', () => {
  test.each([
    ['Fix the checkout', 'fix-the-checkout'],
    ['  \n\t Fix\nthe   checkout!  ', 'fix-the-checkout'],
    ['Überprüfe die Straße in Łódź', 'uberprufe-die-strasse-in-lodz'],
    ["Don't break Bob’s page", 'dont-break-bobs-page'],
    ['2 developers do it', 'task-2-developers-do-it'],
    ['one two three four five six seven', 'one-two-three-four-five-six'],
    ['internationalisation considerations everywhere', 'internationalisation-considerations'],
    ['a'.repeat(300), 'a'.repeat(40)],
    ['9'.repeat(300), 'task'],
    ['ﬁle ①', 'file-1'],
    ['../../etc/passwd', 'etc-passwd'],
    ['__proto__', 'proto'],
    ['修复结帐', 'task'],
    ['🛒🛒', 'task'],
    ['', 'task'],
    ['---', 'task'],
  ])('%j becomes %s', (prompt, slug) => {
    expect(toSlug(prompt)).toBe(slug);
  });

  test('is a valid slug of at most 40 characters, whatever the prompt, and fast for a long one', () => {
    const random = createRandom(7);
    const letters = [
      'a',
      'Z',
      '9',
      '-',
      ' ',
      '\n',
      'é',
      'ß',
      '中',
      '🛒',
      '\u0301',
      '\ud800',
      '\0',
      '/',
      '.',
      'ǅ',
      'ﬃ',
      'İ',
    ];
    for (let round = 0; round < 3_000; round++) {
      const prompt = Array.from({ length: random(60) }, () => letters[random(letters.length)]).join('');
      const slug = toSlug(prompt);
      expect([prompt, Slug.safeParse(slug).success, slug.length <= 40]).toEqual([prompt, true, true]);
    }
    expect(toSlug('word '.repeat(2_000_000))).toBe('word-word-word-word-word-word');
  });
});

describe('nextSlug', () => {
  const taken = (...slugs: string[]) => {
    const asked: string[] = [];
    const isTaken = async (slug: string) => asked.push(slug) > 0 && slugs.includes(slug);
    return { asked, isTaken };
  };
  const numbered = (count: number) =>
    Array.from({ length: count }, (_, index) => (index === 0 ? 'x' : `x-${index + 1}`));

  test('counts from 2, and takes the first that is free', async () => {
    const counts = [0, 1, 2, 3, 4, 5, 8, 9, 17];
    const found = await Promise.all(counts.map((count) => nextSlug('x', taken(...numbered(count)).isTaken)));
    expect(found).toEqual(['x', 'x-2', 'x-3', 'x-4', 'x-5', 'x-6', 'x-9', 'x-10', 'x-18']);
  });

  test('asks for few of very many', async () => {
    const { asked, isTaken } = taken(...numbered(10_000));
    expect(await nextSlug('x', isTaken)).toBe('x-10001');
    expect(asked.length).toBeLessThan(40);
  });

  test('stays a slug when the base is as long as one may be', async () => {
    const base = `${'a'.repeat(62)}-b`;
    const found = await nextSlug(base, taken(base).isTaken);
    expect([found, Slug.safeParse(found).success]).toEqual([`${'a'.repeat(62)}-2`, true]);
  });
});
