// The parts of a Markdown page that make claims: links, code spans, code blocks, headings. Each with its line.

export interface Part {
  text: string;
  line: number;
}

export interface Page {
  path: string;
  links: Part[];
  spans: Part[];
  blocks: (Part & { language: string })[];
  anchors: ReadonlySet<string>;
  lineCount: number;
}

const fence = /^([ \t]*)(`{3,}|~{3,})[ \t]*([\w-]*)[^\n]*\n([\s\S]*?)(?:^[ \t]*\2[`~]*[ \t]*$|(?![\s\S]))/gm;
const span = /(?<!`)(`+)(?!`)([\s\S]*?[^`])\1(?!`)/g;
const link = /\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|^ {0,3}\[[^\]]+\]:\s*(\S+)|\b(?:href|src)="([^"]+)"/gm;
const heading = /^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*$/gm;
const namedAnchor = /<a\s+(?:id|name)="([^"]+)"/g;

export function parsePage(path: string, text: string): Page {
  const blocks = [...text.matchAll(fence)].map((match) => ({
    text: match[4] ?? '',
    language: match[3] ?? '',
    line: toLine(text, match.index) + 1,
  }));
  const prose = text.replace(fence, blank);
  const linked = prose.replace(span, blank);
  return {
    path,
    blocks,
    spans: [...prose.matchAll(span)].map((match) => ({
      text: (match[2] ?? '').replace(/\s+/g, ' ').trim(),
      line: toLine(text, match.index),
    })),
    links: [...linked.matchAll(link)].map((match) => ({
      text: match[1] ?? match[2] ?? match[3] ?? '',
      line: toLine(text, match.index),
    })),
    anchors: findAnchors(prose),
    lineCount: text.trimEnd().split('\n').length,
  };
}

function findAnchors(prose: string): Set<string> {
  const anchors = new Set([...prose.matchAll(namedAnchor)].map((match) => match[1] ?? ''));
  const uses = new Map<string, number>();
  for (const [, title = ''] of prose.matchAll(heading)) {
    const anchor = toAnchor(title);
    const used = uses.get(anchor) ?? 0;
    uses.set(anchor, used + 1);
    anchors.add(used === 0 ? anchor : `${anchor}-${used}`);
  }
  return anchors;
}

/** The anchor that Git forges give a heading. */
function toAnchor(title: string): string {
  return title
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
    .replace(/ /g, '-');
}

/** Keeps line breaks, so that lines stay what they were. */
function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

function toLine(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
