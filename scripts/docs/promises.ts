// Is every promise that is said to hold cited by a test, and every citation that of a promise?
import type { SourceFile } from '../source/repository.ts';
import { type Token, tokenize } from '../source/tokenize.ts';
import type { Problem } from './problem.ts';

export interface Citation {
  id: string;
  path: string;
  line: number;
}

interface Promised {
  id: string;
  line: number;
  holds: boolean;
}

const row = /^\|\s*(P\d+)\s*\|([^\n]*)$/gm;
/** `P12: …`, `P1, P2: …`, `… (P12)`. */
const citation = /\bP\d+(?:, P\d+)*(?=:)|(?<=\()P\d+(?:, P\d+)*(?=\))/g;

export function findBrokenPromises(page: SourceFile, tests: readonly SourceFile[]): Problem[] {
  const promises = parsePromises(page.text);
  const citations = tests.flatMap(findCitations);
  const known = new Set(promises.map(({ id }) => id));
  const cited = new Set(citations.map(({ id }) => id));
  return [
    ...(known.size === 0 ? [{ path: page.path, line: 1, message: 'no row of the table is a promise' }] : []),
    ...promises
      .filter(({ id, holds }) => holds && !cited.has(id))
      .map(({ id, line }) => ({
        path: page.path,
        line,
        message: `${id} holds, says the table, but no test cites it`,
      })),
    ...citations
      .filter(({ id }) => !known.has(id))
      .map(({ id, path, line }) => ({ path, line, message: `${id} is not a promise in ${page.path}` })),
  ];
}

/** Rows `| P1 | promise | status | how |`; a status that begins with "holds" needs a test. */
function parsePromises(text: string): Promised[] {
  return [...text.matchAll(row)].map((match) => ({
    id: match[1] ?? '',
    line: text.slice(0, match.index).split('\n').length,
    holds: /^\s*holds\b/.test((match[2] ?? '').split('|')[1] ?? ''),
  }));
}

/** Citations in the titles of tests that run. */
export function findCitations({ path, text }: SourceFile): Citation[] {
  const tokens = tokenize(text);
  return tokens.flatMap((_, index) => {
    const title = readTitle(tokens, index);
    const ids = [...(title?.text.matchAll(citation) ?? [])].flatMap(([list]) => list.split(', '));
    return ids.map((id) => ({ id, path, line: title?.line ?? 1 }));
  });
}

/** The title in `test('…')`, `describe.for(table)('…')` and so on; none when the test is skipped. */
function readTitle(tokens: Token[], start: number): Token | undefined {
  if (!/^(?:test|it|describe)$/.test(tokens[start]?.text ?? '') || tokens[start - 1]?.text === '.')
    return undefined;
  let index = start + 1;
  while (tokens[index]?.text === '.') {
    if (/^(?:skip|todo)$/.test(tokens[index + 1]?.text ?? '')) return undefined;
    index += 2;
  }
  if (tokens[index]?.text !== '(') return undefined;
  if (isText(tokens[index + 1])) return tokens[index + 1];
  const next = skipParentheses(tokens, index);
  return tokens[next]?.text === '(' && isText(tokens[next + 1]) ? tokens[next + 1] : undefined;
}

function isText(token: Token | undefined): boolean {
  return token?.kind === 'string' || token?.kind === 'template';
}

function skipParentheses(tokens: Token[], open: number): number {
  let depth = 0;
  for (let index = open; index < tokens.length; index++) {
    if (tokens[index]?.text === '(') depth += 1;
    if (tokens[index]?.text === ')') depth -= 1;
    if (depth === 0) return index + 1;
  }
  return tokens.length;
}
