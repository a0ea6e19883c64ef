// Which way a text runs, by its first letter: for what has a side, a list's bullets or a quote's line. Pure.

const letter = /\p{L}/u;
const fromRight =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}]/u;

export function toDirection(text: string): 'ltr' | 'rtl' {
  const [first] = letter.exec(text) ?? [];
  return first && fromRight.test(first) ? 'rtl' : 'ltr';
}
