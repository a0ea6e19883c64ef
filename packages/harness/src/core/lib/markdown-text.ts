// Foreign text inside a Markdown document: readable, and unable to leave its place. No text of a person, model or tool
// can open HTML, load an image, end the block it stands in or pass for the document around it. Pure.
import { toReadable } from '@toolyard/sdk';

/** As code, in a fence longer than any in it. */
export function toFence(text: string, language = ''): string {
  const readable = toReadable(text).replace(/\n$/, '');
  const longest = Math.max(0, ...[...readable.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}${language.replace(/[^\w+#.-]/g, '').slice(0, 20)}\n${readable}\n${fence}`;
}

/** As code within a line. */
export function toCode(text: string): string {
  const line = toReadable(text).replace(/\s+/g, ' ').trim();
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const ticks = '`'.repeat(longest + 1);
  const gap = longest > 0 ? ' ' : '';
  return line === '' ? '–' : `${ticks}${gap}${line}${gap}${ticks}`;
}

/** As words within a line: whatever Markdown or HTML would make of them. */
export function escapeMarkdown(text: string): string {
  const line = toReadable(text).replace(/\s+/g, ' ').trim();
  return line.replace(/[\\`*_{}[\]<>#+!|~&-]/g, (char) => `\\${char}`);
}

/** Markdown that somebody wrote, as a quotation: a quotation ends where ours does, whatever it leaves open. */
export function toQuote(text: string): string {
  const parts = splitCode(toReadable(text).trimEnd());
  const safe = parts.map((part) =>
    'code' in part ? toFence(part.code, part.language) : toProse(part.prose),
  );
  return safe.join('\n').replace(/^/gm, '> ');
}

type Part = { prose: string } | { code: string; language: string };

/** Fenced code is written anew, so that what we take for code is code for everybody. */
function splitCode(text: string): Part[] {
  const parts: Part[] = [];
  let lines: string[] = [];
  let fence: { mark: string; language: string } | undefined;
  const end = () => {
    const whole = lines.join('\n');
    if (fence) parts.push({ code: whole, language: fence.language });
    else if (whole !== '') parts.push({ prose: whole });
    lines = [];
  };
  for (const line of text.split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})\s*([^`]*)$/.exec(line);
    const isEnd = fence && mark?.[1]?.startsWith(fence.mark) && mark[2]?.trim() === '';
    if (isEnd || (!fence && mark)) {
      end();
      fence = isEnd ? undefined : { mark: mark?.[1] ?? '', language: mark?.[2]?.trim().split(/\s/)[0] ?? '' };
    } else lines.push(line);
  }
  end();
  return parts;
}

/** Paragraph by paragraph: only within one can ticks belong together. */
function toProse(prose: string): string {
  let hasOpenTick = false;
  return prose
    .split('\n')
    .map((line) => {
      if (line.trim() === '') hasOpenTick = false;
      const { text, isOpen } = toProseLine(line, hasOpenTick);
      hasOpenTick = isOpen;
      return text;
    })
    .join('\n');
}

/**
 * Code in ticks may stay as it is only where every reader must see it as code: on one line, in no table, after no tick
 * that is still open, and beside nothing that could be the target of a link, which counts before any tick does.
 * Elsewhere it is disarmed like the rest.
 */
function toProseLine(line: string, hasOpenTick: boolean): { text: string; isOpen: boolean } {
  const mayHoldCode = !line.includes('|') && !line.includes(']:');
  let text = '';
  let rest = line;
  let isOpen = hasOpenTick;
  while (rest !== '') {
    const tick = /(?<!\\)(?:\\\\)*(`+)/.exec(rest);
    if (!tick) return { text: text + neutralizeMarkup(rest), isOpen };
    const start = tick.index + tick[0].length - (tick[1]?.length ?? 0);
    const ticks = tick[1] ?? '';
    const close = new RegExp(`(?<!\`)${ticks}(?!\`)`).exec(rest.slice(start + ticks.length));
    const isCode = close !== null && !isOpen && mayHoldCode;
    const length = isCode ? ticks.length + close.index + ticks.length : ticks.length;
    if (close === null) isOpen = true;
    text += neutralizeMarkup(rest.slice(0, start)) + rest.slice(start, start + length);
    rest = rest.slice(start + length);
  }
  return { text, isOpen };
}

/** A link may lead to a page or a place; what else it could do depends on who shows it. */
const otherLink = /\]\((?!\s*(?=\S)<?(?:https?:\/\/|mailto:|[^:&)\s]*[)\s]))/gi;

/** `[name]: address`, after whatever marks of lists and quotations, over however many lines: all need its end. */
const targetElsewhere = /(?<!\\)((?:\\\\)*)\]:/g;

/** What would be HTML, an image, a link that runs something, or the target of one elsewhere. */
function neutralizeMarkup(prose: string): string {
  return prose
    .replace(/<(?=[a-z/!?])/gi, '&lt;')
    .replace(/!\[/g, '!\\[')
    .replace(otherLink, ']\\(')
    .replace(targetElsewhere, '$1\\]:');
}
