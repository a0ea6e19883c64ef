// Cuts Markdown into its top blocks, so that what has been said stays as it is while more comes in. Pure. Only the last
// block of a text under way is looked at again; what could keep the page busy is not read as Markdown at all.

import { toReadable } from '@toolyard/sdk';
import { Lexer } from 'marked';

export interface Blocks {
  /** Source of each block, in order. */
  sources: readonly string[];
  /** What links elsewhere in the text may refer to. */
  definitions: string;
  /** What is past the most that is read as Markdown. */
  rest: string;
  /** Where the last block begins. */
  lastAt: number;
  text: string;
}

/** More than any answer has; past it text is only text. */
const maxMarkdown = 100_000;

/** A block that has grown past this is shown as text, and not read again for every word that is added. */
export const maxInBlock = 20_000;

/** Quotes or lists in each other, beyond any use: each level is read once more than the one around it. */
const tooDeep = /^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))){24}/m;

export const noBlocks: Blocks = { sources: [], definitions: '', rest: '', lastAt: 0, text: '' };

/** `before` is what an earlier, shorter text was cut into. */
export function toBlocks(text: string, before: Blocks = noBlocks): Blocks {
  if (text === before.text) return before;
  const isMore = before.rest === '' && text.startsWith(before.text);
  if (isMore && isEndless(before)) return grow(before, text);
  const from = isMore ? before.lastAt : 0;
  const kept = isMore ? before.sources.slice(0, -1) : [];
  const cut = cutBlocks(text.slice(from, maxMarkdown));
  return {
    sources: [...kept, ...cut.sources],
    definitions: `${isMore ? before.definitions : ''}${cut.definitions}`,
    rest: text.slice(maxMarkdown),
    lastAt: from + cut.lastAt,
    text,
  };
}

function isEndless({ sources }: Blocks): boolean {
  const last = sources.at(-1) ?? '';
  return last.length > maxInBlock && !isFence(last);
}

export function isFence(source: string): boolean {
  return /^ {0,3}(?:```|~~~)/.test(source);
}

/** A footnote of one word, `[^1]: word`, looks like where a link leads; it is words to be read. */
export function isNote({ raw }: { raw: string }): boolean {
  return /^ {0,3}\[\^/.test(raw);
}

function grow(before: Blocks, text: string): Blocks {
  const last = text.slice(before.lastAt, maxMarkdown);
  return { ...before, sources: before.sources.with(-1, last), rest: text.slice(maxMarkdown), text };
}

function cutBlocks(text: string): { sources: string[]; definitions: string; lastAt: number } {
  const sources: string[] = [];
  let definitions = '';
  let at = 0;
  let lastAt = 0;
  for (const { type, raw } of readBlocks(text)) {
    if (type === 'def' && !isNote({ raw })) definitions += `${raw}\n`;
    else if (type !== 'space') {
      lastAt = at;
      sources.push(raw);
    }
    at += raw.length;
  }
  return { sources, definitions, lastAt };
}

function readBlocks(text: string): { type: string; raw: string }[] {
  const asText = [{ type: 'text', raw: text }];
  if (tooDeep.test(text)) return asText;
  try {
    return new Lexer().blockTokens(text, []);
  } catch {
    // Deeper than the stack.
    return asText;
  }
}

/** Half a character, or half a line end, may be all that has come so far. */
const half = /[\ud800-\udbff\r]$/;

/** What a model wrote, made readable and cut into blocks. `before` is what an earlier, shorter text was read as. */
export function readMarkdown(text: string, before: Blocks): Blocks {
  return toBlocks(toReadable(text.replace(half, '')), before);
}
