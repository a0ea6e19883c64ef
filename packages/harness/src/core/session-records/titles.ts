// How a session is called that nobody has named: by the first line of its first message, as plain words.
import { type Content, toReadable, toText } from '@toolyard/sdk';

const maxLength = 80;
/** A cut further back than this would lose more than half a word saves. */
const minLength = 40;

/** A line that only says that something is attached. */
const attached = /^\[[^\]]*\]$/;

export function toTitle(content: Content): string {
  const lines = toText(content)
    .split('\n')
    .map(toWords)
    .filter((line) => line !== '');
  const first = lines.findIndex((line) => !attached.test(line));
  const title = lines.slice(0, first === -1 ? lines.length : first + 1).join(' ');
  return cutAtWord(title).toWellFormed();
}

/** One line without what only Markdown means, and with nothing hidden in it. */
function toWords(line: string): string {
  if (/^\s*(?:`{3,}|~{3,})/.test(line)) return '';
  const plain = line
    .replace(/^\s*(?:(?:#{1,6}|>|[-*+]|\d{1,3}[.)])\s+)+/, '')
    .replace(/!?\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/(\*\*|__|`+)(\S(?:.*?\S)?)\1/g, '$2');
  return toReadable(plain.replace(/[\s\p{Cc}]+/gu, ' ')).trim();
}

function cutAtWord(line: string): string {
  if (line.length <= maxLength) return line;
  const head = line.slice(0, maxLength - 1);
  const end = head.lastIndexOf(' ');
  const cut = end >= minLength ? head.slice(0, end) : takeWhole(line, maxLength - 1);
  return `${cut.trimEnd()}…`;
}

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** As much as fits, and no part of a character: some are made of several, joined by what nobody sees. */
function takeWhole(line: string, max: number): string {
  // One that is longer than this is none that anybody reads.
  const near = line.slice(0, max + 40);
  let end = 0;
  for (const { index, segment } of characters.segment(near)) {
    if (index + segment.length > max) break;
    end = index + segment.length;
  }
  return line.slice(0, end || max).replace(/[\ud800-\udbff]$/, '');
}
