// Slugs that nobody had to think of: the first words of a prompt, and a number when they are taken. Pure.

/** Enough to tell one piece of work from another, and room for a number. */
const maxGeneratedLength = 40;
/** Of a slug by its schema. */
const maxSlugLength = 64;
const maxWords = 6;
/** More of a prompt is not looked at. */
const maxPromptChars = 2_000;
const fallback = 'task';

/** Letters that stay as they are when accents are taken off. */
const foldedLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ŋ: 'n',
};

/** The first words, in ASCII: `Fix the Übergang in checkout` is `fix-the-ubergang-in-checkout`. Always a valid slug. */
export function toSlug(prompt: string): string {
  const words = toWords(prompt.trimStart().slice(0, maxPromptChars)).slice(0, maxWords);
  const [first] = words;
  if (first === undefined) return fallback;
  const named = /^[a-z]/.test(first) ? words : [fallback, ...words];
  let slug = '';
  for (const word of named) {
    const longer = slug === '' ? word : `${slug}-${word}`;
    if (longer.length > maxGeneratedLength) break;
    slug = longer;
  }
  return slug || first.slice(0, maxGeneratedLength);
}

function toWords(text: string): string[] {
  return text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[ßæœøđðłþıħŋ]/g, (letter) => foldedLetters[letter] ?? '')
    .replace(/['’`´]/g, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/**
 * `checkout`, else the first free one of `checkout-2`, `checkout-3` … when none between them is. However many are taken,
 * only a few are asked for.
 */
export async function nextSlug(
  base: string,
  isTaken: (slug: string) => Promise<boolean> | boolean,
): Promise<string> {
  if (!(await isTaken(base))) return base;
  const isNumberTaken = (number: number) => isTaken(toNumbered(base, number));
  let free = 2;
  while (await isNumberTaken(free)) free *= 2;
  let taken = free === 2 ? 1 : free / 2;
  while (free - taken > 1) {
    const middle = Math.floor((free + taken) / 2);
    if (await isNumberTaken(middle)) taken = middle;
    else free = middle;
  }
  return toNumbered(base, free);
}

function toNumbered(base: string, number: number): string {
  const end = `-${number}`;
  return `${base.slice(0, maxSlugLength - end.length).replace(/-+$/, '')}${end}`;
}
